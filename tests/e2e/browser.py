"""Drives a headless Chromium over its debugging pipe, with the standard library alone."""
import json
import os
import select
import subprocess
import time


class Browser:
    def __init__(self, command, folder):
        to_read, self.to = os.pipe()
        self.of, from_write = os.pipe()

        def pipes():  # the browser reads from 3 and writes to 4
            spare = (os.dup2(to_read, 60), os.dup2(from_write, 61))
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        self.process = subprocess.Popen(
            [command, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             "--user-data-dir=" + folder], preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=dict(os.environ, HOME=folder))
        os.close(to_read)
        os.close(from_write)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(domain + ".enable")

    def message(self, limit_s=60):
        end = time.time() + limit_s
        while b"\0" not in self.buffer:
            if not select.select([self.of], [], [], max(0, end - time.time()))[0]:
                raise SystemExit("the browser does not answer")
            part = os.read(self.of, 1 << 20)
            if not part:
                raise SystemExit("the browser has ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, **parameters):
        self.number += 1
        order = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            order["sessionId"] = self.session
        text = json.dumps(order).encode() + b"\0"
        while text:
            text = text[os.write(self.to, text):]
        while True:
            m = self.message()
            if m.get("id") == self.number:
                if "error" in m:
                    raise SystemExit("%s: %s" % (method, m["error"]))
                return m["result"]
            self.events.append(m)

    def open(self, path, width, dark=False, media=""):
        """Opens a file at a width in pixels; the page must be silent while it loads."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.media(dark, media)
        self.events = []
        self.send("Page.navigate", url="file://" + os.path.abspath(path))
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.message())
        for e in self.events:
            loud = e.get("method") == "Runtime.exceptionThrown" or (
                e.get("method") == "Log.entryAdded" and e["params"]["entry"]["level"] == "error")
            if loud:
                raise SystemExit("%s: %s" % (path, json.dumps(e["params"])[:400]))

    def media(self, dark=False, media=""):
        self.send("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def run(self, script):
        """The value of an expression in the page."""
        r = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise SystemExit("%s: %s" % (script[:80], json.dumps(r["exceptionDetails"])[:400]))
        return r["result"].get("value")

    def until(self, script, limit_s=30):
        """Waits for an expression to be true: what an event does is done in some later frame."""
        end = time.time() + limit_s
        while not self.run(script):
            if time.time() > end:
                raise SystemExit("never true: " + script)
            time.sleep(0.05)

    def key(self, name):
        code = {"Tab": 9, "Enter": 13, " ": 32, "ArrowDown": 40, "ArrowUp": 38}[name]
        text = {"Enter": "\r", " ": " "}.get(name)
        down = dict(key=name, code="Space" if name == " " else name, windowsVirtualKeyCode=code)
        if text:
            down["text"] = text
        self.send("Input.dispatchKeyEvent", type="keyDown", **down)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=name, code=down["code"], windowsVirtualKeyCode=code)

    def close(self):
        try:
            self.send("Browser.close")
        except SystemExit:
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
