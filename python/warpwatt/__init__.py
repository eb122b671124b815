"""warpwatt, a GPU you can measure, from Python.

`run` starts the command, which leaves one database (docs/results.md of warpwatt); a `Run` reads it. No figure is
computed here."""

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections import namedtuple

__all__ = ["run", "gpus", "workloads", "load", "Run", "Gpu", "Error"]

Gpu = namedtuple("Gpu", "name description")


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


def _listed(subcommand):
    done = subprocess.run([_command(), subcommand], capture_output=True, text=True)
    if done.returncode:
        raise Error(_said(done.stderr), done.returncode)
    return done.stdout.splitlines()


def gpus():
    """The GPUs there are: a list of Gpu(name, description)."""
    return [Gpu(*(line.split(None, 1) + [""])[:2]) for line in _listed("gpus") if line.strip()]


def workloads():
    """The names of the workloads there are."""
    return [line.split()[0] for line in _listed("workloads") if line.strip() and not line.startswith(" ")]


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
        """A table as pandas.DataFrame; needs pandas."""
        import pandas

        if table not in self.tables:
            raise Error("a run has no table `%s`; it has %s" % (table, ", ".join(self.tables)), 2)
        return pandas.DataFrame([row._asdict() for row in self.query('select * from "%s"' % table)])


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
