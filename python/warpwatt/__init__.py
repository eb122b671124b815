"""warpwatt, a GPU you can measure, from Python.

`run` starts the command, which leaves one database (docs/results.md of warpwatt); a `Run` reads it. No figure is
computed here."""

import html
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections import namedtuple

__all__ = ["run", "gpus", "workloads", "techniques", "occupancy", "load", "compare", "Run", "Runs", "Gpu", "Technique", "Error"]

Gpu = namedtuple("Gpu", "name description")
Technique = namedtuple("Technique", "name description paper mechanisms options gpu file")

# Units of columns by how their names end, and of those whose names do not say (docs/results.md).
_ENDINGS = (("_bytes_per_s", "B/s"), ("_js", "Js"), ("_mm2", "mm2"), ("_mhz", "MHz"), ("_bytes", "B"), ("_j", "J"), ("_w", "W"), ("_s", "s"))
_UNITS = {"seconds": "s", "kernel_seconds": "s", "bytes": "B", "cycles": "cycles", "achieved_warps": "warps an SM",
          "occupancy_warps": "warps an SM", "registers": "a thread", "slots": "issue slots"}


def unit(column):
    """The unit of a column of results.sqlite, or None where it has none (names, counts)."""
    if column in _UNITS:
        return _UNITS[column]
    return next((u for end, u in _ENDINGS if column.endswith(end)), None)


class Error(Exception):
    """The command did not do what it was asked. `exit_code` is its own: 1 the program under test failed, 2 usage or
    configuration, 3 unsupported, 4 the simulated GPU deadlocked or met a limit; `run` is what it left, or None."""

    def __init__(self, message, exit_code, run=None):
        super().__init__(message)
        self.exit_code = exit_code
        self.run = run


def _command():
    name = os.environ.get("WARPWATT") or shutil.which("warpwatt")
    if not name:
        raise Error("there is no `warpwatt` on the PATH, and WARPWATT does not name one", 2)
    return name


def _said(text):
    lines = [line for line in text.splitlines() if "error:" in line or line.startswith("warpwatt:")]
    return (lines or text.splitlines() or ["it said nothing"])[0]


def _listed(*words):
    done = subprocess.run([_command(), *words], capture_output=True, text=True)
    if done.returncode:
        raise Error(_said(done.stderr), done.returncode)
    return done.stdout.splitlines()


def gpus():
    """The GPUs there are: a list of Gpu(name, description)."""
    return [Gpu(*(line.split(None, 1) + [""])[:2]) for line in _listed("gpus") if line.strip()]


def workloads():
    """The names of the workloads there are."""
    return [line.split()[0] for line in _listed("workloads") if line.strip() and not line.startswith(" ")]


def techniques():
    """The energy-saving techniques there are: a list of Technique, whose `options` and keys of the GPU (`gpu`) are
    {name: value}, as `run(techniques=...)` takes their names."""
    found = json.loads("\n".join(_listed("savings", "--json")))["techniques"]
    return [Technique(t["name"], t["description"], t["paper"], t["mechanisms"], {o["name"]: o["value"] for o in t["options"]},
                      {k["name"]: k["value"] for k in t["gpu"]}, t["file"]) for t in found]


def occupancy(what, *, gpu="gtx480", options=()):
    """Warps that an SM holds of a kernel or program, and what limits them; nothing runs. What `warpwatt occupancy
    --json` says, as Python values."""
    return json.loads("\n".join(_listed("occupancy", "--json", "-g", gpu, *options, what)))


class Run:
    """A finished run. Columns of the run itself are attributes (`cycles`, `energy_j`, ...); each table of
    results.sqlite is a list of rows with named fields (`launches`, `instructions`, `lines`, `components`, ...)."""

    def __init__(self, folder, keep=None):
        path = os.path.join(folder, "results.sqlite")
        if not os.path.exists(path):
            raise Error("%s holds no results.sqlite: it is not what `warpwatt run -o` leaves" % folder, 2)
        self.folder = folder
        self._keep = keep  # a temporary folder lives as long as its run
        self._database = sqlite3.connect(path)
        self._database.row_factory = _row
        row = self.query("select * from run")[0]
        self.__dict__.update(row._asdict())

    def __repr__(self):
        return "<warpwatt.Run of %s on %s: %d cycles, %.4g J>" % (self.title, self.gpu, self.cycles, self.energy_j)

    def __getattr__(self, name):
        if not name.startswith("_") and name in self.tables:
            return self.query('select * from "%s"' % name)
        raise AttributeError("a run has no `%s`; its tables are %s" % (name, ", ".join(self.tables)))

    @property
    def tables(self):
        """Names of the tables of results.sqlite."""
        found = self._database.execute("select name from sqlite_master where type in ('table', 'view') order by name")
        return [row.name for row in found]

    @property
    def json(self):
        """run.json as Python values."""
        with open(os.path.join(self.folder, "run.json")) as f:
            return json.load(f)

    def query(self, sql, *values):
        """Rows of any question in SQL, as named tuples."""
        return self._database.execute(sql, values).fetchall()

    def to_pandas(self, table="launches"):
        """A table as pandas.DataFrame, whose attrs["units"] has the unit of each column that has one; needs pandas."""
        import pandas

        if table not in self.tables:
            raise Error("a run has no table `%s`; it has %s" % (table, ", ".join(self.tables)), 2)
        frame = pandas.DataFrame([row._asdict() for row in self.query('select * from "%s"' % table)])
        frame.attrs["units"] = {c: unit(c) for c in frame.columns if unit(c)}
        return frame

    @property
    def energies(self):
        """{component: joules} of the time in kernels, the largest first; each joule is in one component."""
        rows = self.query("select component, sum(dynamic_j + static_j) as j from components where launch > 0 "
                          "group by component having j != 0 order by j desc")
        return {row.component: row.j for row in rows}

    def page(self):
        """The path of the run's page, which any browser opens."""
        return os.path.join(self.folder, "index.html")

    def _repr_html_(self):
        rows = [("time in kernels", self.kernel_seconds, "s"), ("cycles", self.cycles, ""), ("energy", self.energy_j, "J"),
                ("dynamic", self.dynamic_j, "J"), ("static", self.static_j, "J"), ("power", self.power_w, "W")]
        parts = list(self.energies.items())[:8]
        return "<h4>%s on %s</h4>%s%s" % (
            html.escape(self.title), html.escape(self.gpu),
            _html_table(["", ""], [(name, _scaled(value, u)) for name, value, u in rows]),
            _html_table(["component", "energy"], [(name, _scaled(j, "J")) for name, j in parts]))

    @property
    def power_w(self):
        """Mean power while kernels ran, in watts."""
        return self.energy_j / self.kernel_seconds if self.kernel_seconds else 0.0

    def plot(self, most=10, axes=None):
        """Bars of the components with the most energy; needs matplotlib. Answers the axes."""
        return Runs([self]).plot(most, axes)


class Runs(list):
    """Runs beside each other; the first one is the base of all changes."""

    COLUMNS = ("kernel_seconds", "cycles", "energy_j", "dynamic_j", "static_j", "power_w")

    def __init__(self, runs, names=None):
        super().__init__(runs)
        if names and len(list(names)) != len(self):
            raise Error("%d names for %d runs" % (len(list(names)), len(self)), 2)
        self.names = list(names) if names else ["%d: %s on %s" % (i, r.title, r.gpu) for i, r in enumerate(self)]

    @property
    def rows(self):
        """A dict a run: its name, its figures, and of each the change from the base's as a share (`..._change`). A run
        without time (`--functional`) has None in the place of figures."""
        found = []
        for name, run_ in zip(self.names, self):
            row = {"run": name}
            for column in self.COLUMNS:
                value, base = (getattr(r, column) if r.cycles else None for r in (run_, self[0]))
                row[column] = value
                row[column + "_change"] = value / base - 1 if base and value is not None else None
            found.append(row)
        return found

    @property
    def components(self):
        """{component: [joules of each run]}, the largest differences from the base first."""
        all_ = [r.energies for r in self]
        names = {name for e in all_ for name in e}
        found = {name: [e.get(name, 0.0) for e in all_] for name in names}
        return dict(sorted(found.items(), key=lambda p: (-max(abs(j - p[1][0]) for j in p[1]), p[0])))

    def to_pandas(self):
        """`rows` as pandas.DataFrame with units in attrs["units"]; needs pandas."""
        import pandas

        frame = pandas.DataFrame(self.rows).set_index("run")
        frame.attrs["units"] = {c: unit(c) for c in self.COLUMNS if unit(c)}
        return frame

    def page(self, path=None):
        """Writes the page of all these runs (`warpwatt report`), and answers its path. Without one it lies in the
        first run's folder."""
        words = [_command(), "report"] + (["-o", path] if path else []) + [r.folder for r in self]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            raise Error(_said(done.stderr), done.returncode)
        return done.stdout.strip().splitlines()[-1]

    def plot(self, most=10, axes=None):
        """Stacked bars, a run each, of the components with the most energy; needs matplotlib. Answers the axes."""
        from matplotlib import pyplot

        axes = axes or pyplot.subplots(figsize=(8, 1 + 0.5 * len(self)))[1]
        all_ = self.components
        shown = sorted(all_, key=lambda name: -sum(all_[name]))[:most]
        left = [0.0] * len(self)
        others = [sum(j[i] for name, j in all_.items() if name not in shown) for i in range(len(self))]
        for name, j in [(name, all_[name]) for name in shown] + [("all others", others)]:
            axes.barh(self.names, j, left=left, label=name)
            left = [a + b for a, b in zip(left, j)]
        axes.set_xlabel("J")
        axes.legend(fontsize="small")
        return axes

    def _repr_html_(self):
        def cell(row, column):
            change = row[column + "_change"]
            return _scaled(row[column], unit(column) or "") + (" (%+.1f %%)" % (100 * change) if change else "")

        return _html_table(["run"] + list(self.COLUMNS), [[r["run"]] + [cell(r, c) for c in self.COLUMNS] for r in self.rows])


def compare(*runs, names=None):
    """Runs (or folders of runs) beside each other, the first as the base: a Runs."""
    return Runs([load(r) if isinstance(r, (str, os.PathLike)) else r for r in runs], names)


def _scaled(value, unit_):
    if value is None:
        return "\u2013"
    if unit_ not in ("s", "J", "W", "Js"):
        return "{:,}".format(value) if isinstance(value, int) else "%.4g %s" % (value, unit_)
    for factor, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "\u00b5"), (1e-9, "n"), (1e-12, "p")):
        if abs(value) >= factor:
            return "%.4g %s%s" % (value / factor, prefix, unit_)
    return "%.4g %s" % (value, unit_)


def _html_table(head, rows):
    def line(tag, cells):
        return "<tr>%s</tr>" % "".join("<%s>%s</%s>" % (tag, html.escape(str(c)), tag) for c in cells)

    return "<table>%s%s</table>" % (line("th", head) if any(head) else "", "".join(line("td", r) for r in rows))


def _row(cursor, values):
    return namedtuple("Row", [d[0] for d in cursor.description], rename=True)(*values)


def load(folder):
    """The run that `warpwatt run -o FOLDER` left there."""
    return Run(folder)


def run(workload=None, *, program=None, gpu="gtx480", set=None, techniques=None, size=None, threads=None, out=None,
        options=()):
    """Runs a workload by name, or `program` (a list: the program and its arguments), and answers a Run.

    gpu         name or path of a GPU file
    set         {key: value} of the GPU file, as -s
    techniques  names of energy-saving techniques, as -p
    size        of a workload's input
    threads     host threads
    out         a folder to keep the results in; else they live as long as the Run
    options     further words for the command line
    """
    if (workload is None) == (program is None):
        raise Error("run either a workload or a program", 2)
    keep = None if out else tempfile.TemporaryDirectory(prefix="warpwatt-")
    folder = out or keep.name
    words = [_command(), "run", "-q", "-o", folder, "-g", gpu]
    for key, value in (set or {}).items():
        words += ["-s", "%s=%s" % (key, value)]
    if techniques:
        words += ["-p", techniques if isinstance(techniques, str) else ",".join(techniques)]
    if size:
        words += ["--size", size]
    if threads:
        words += ["-j", str(threads)]
    words += list(options)
    words += [workload] if workload else ["--"] + [str(word) for word in program]
    done = subprocess.run(words, capture_output=True, text=True, errors="replace")
    if done.returncode:
        try:
            left = Run(folder, keep)
        except Error:
            left = None
        raise Error(_said(done.stderr or done.stdout), done.returncode, left)
    result = Run(folder, keep)
    result.stdout = done.stdout
    return result
