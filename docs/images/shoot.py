#!/usr/bin/env python3
"""Takes the pictures of the terminal in this folder: the program runs in tmux, Chromium or Pillow draws the screen.

Usage: docs/images/shoot.py [PROVOST] [NAME...]     needs tmux, and chromium or Pillow; PROVOST defaults to target/debug/provost
"""
import html, http.server, json, os, re, shutil, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BACKGROUND, TEXT = "#1e1e1e", "#d4d4d4"
COLOURS = ["#000000", "#f14c4c", "#0dbc79", "#e5c07b", "#2472c8", "#c678dd", "#11a8cd", "#e5e5e5"]
POLICY = '[policy.categories]\nwrite = "ask"\n[policy.tools]\n"shell/run" = "allow"\n'
AGENT = "---\nname: fixer\ndescription: Mends programs.\n---\nYou mend programs.\n"


def call(name, **arguments):
    return {"role": "assistant", "content": None, "tool_calls": [{
        "id": "call-" + name, "type": "function",
        "function": {"name": name.replace("/", "__"), "arguments": json.dumps(arguments)}}]}


def say(text):
    return {"role": "assistant", "content": text}


class Model:
    """A server that gives these messages, one per request, in the format of OpenAI's chat completions."""

    def __init__(self, messages):
        messages = iter(messages)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                message = next(messages, say("Done."))
                usage = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}
                reason = "tool_calls" if message.get("tool_calls") else "stop"
                choice = {"index": 0, "message": message, "finish_reason": reason}
                body = json.dumps({"id": "1", "object": "chat.completion", "model": "m", "created": 1,
                                   "choices": [choice], "usage": usage}).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"


def project(folder, url, files=()):
    model = f'[models.local]\nprovider = "openai_compatible"\nbase_url = "{url}"\ndelivery = "whole"\nsettings.model = "m"\n'
    write(folder, {"provost.toml": POLICY + model, "agents/fixer.md": AGENT, **dict(files)})


def write(folder, files):
    for path, text in files.items():
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)


class Terminal:
    """A tmux session of some size with a shell in a folder."""

    def __init__(self, size, folder, provost):
        self.name = f"shoot-{os.getpid()}"
        bin_folder = tempfile.mkdtemp()
        os.symlink(provost, os.path.join(bin_folder, "provost"))
        variables = {"PS1": "$ ", "PATH": bin_folder + ":/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": bin_folder}
        variables = " ".join(f"{name}='{value}'" for name, value in variables.items())
        self.tmux("new-session", "-d", "-s", self.name, "-x", str(size[0]), "-y", str(size[1]),
                  "-c", folder, f"env {variables} sh")
        self.tmux("set-option", "-t", self.name, "status", "off")

    def tmux(self, *words):
        return subprocess.run(["tmux", *words], capture_output=True, text=True, check=True).stdout

    def types(self, text):
        self.tmux("send-keys", "-t", self.name, "-l", text)
        self.tmux("send-keys", "-t", self.name, "Enter")

    def screen(self, *more):
        return self.tmux("capture-pane", "-p", *more, "-t", self.name)

    def until(self, pattern):
        for _ in range(600):
            if re.search(pattern, self.screen()):
                return
            time.sleep(0.1)
        sys.exit(f"{pattern!r} never stood on the screen:\n{self.screen()}")

    def close(self):
        self.tmux("kill-session", "-t", self.name)


def parts(line, style, colour):
    """The pieces of a line, each with its style and colour, and what holds at its end."""
    found = []
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        codes = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if codes:
            for code in (codes[1] or "0").split(";"):
                if code in ("", "0"):
                    style, colour = frozenset(), None
                elif code == "39":
                    colour = None
                elif 30 <= int(code) <= 37:
                    colour = COLOURS[int(code) - 30]
                else:
                    style = style | {code}
        elif part:
            found.append((part, style, colour or TEXT))
    return found, style, colour


def rows_of(text):
    style, colour = frozenset(), None
    for line in text.split("\n"):
        found, style, colour = parts(line, style, colour)
        yield found


def page(text, size):
    """The lines of a terminal as a page: every cell on the grid."""
    rows = []
    for found in rows_of(text):
        row = []
        for part, style, colour in found:
            css = f"color:{colour};"
            css += "opacity:.6;" if "2" in style else ""
            css += "font-weight:700;" if "1" in style else ""
            css += "text-decoration:underline;" if "4" in style else ""
            cells = "".join(f"<i>{html.escape(cell)}</i>" for cell in part)
            row.append(f'<span style="{css}">{cells}</span>')
        rows.append(f"<div>{''.join(row)}</div>")
    css = (f"html,body{{margin:0;background:{BACKGROUND}}}"
           "pre{margin:0;padding:16px;font:15px/20px 'DejaVu Sans Mono',monospace}div{height:20px;white-space:pre}"
           "i{display:inline-block;width:9px;font-style:normal;overflow:visible}")
    return f"<!doctype html><meta charset=utf-8><style>{css}</style><pre>{''.join(rows)}</pre>", size[0] * 9 + 32, size[1] * 20 + 32


def draw(text, size, png):
    if shutil.which("chromium"):
        return draw_page(text, size, png)
    return draw_cells(text, size, png)


def draw_cells(text, size, png):
    """The same picture without a browser."""
    from PIL import Image, ImageColor, ImageDraw, ImageFont
    fonts = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono"
    plain, bold = (ImageFont.truetype(f"{fonts}{kind}.ttf", 22) for kind in ("", "-Bold"))
    width, height, edge = 13.5, 30, 24
    image = Image.new("RGB", (int(size[0] * width) + 2 * edge, size[1] * height + 2 * edge), BACKGROUND)
    canvas, background = ImageDraw.Draw(image), ImageColor.getrgb(BACKGROUND)
    for number, found in enumerate(rows_of(text)):
        column = 0
        for part, style, colour in found:
            paint = ImageColor.getrgb(colour)
            if "2" in style:
                paint = tuple(round(.6 * ours + .4 * theirs) for ours, theirs in zip(paint, background))
            for cell in part:
                x, y = edge + column * width, edge + number * height
                canvas.text((x, y), cell, fill=paint, font=bold if "1" in style else plain)
                if "4" in style:
                    canvas.line((x, y + 26, x + width, y + 26), fill=paint)
                column += 1
    image.save(png, optimize=True)


def draw_page(text, size, png):
    folder = tempfile.mkdtemp()
    body, width, height = page(text, size)
    write(folder, {"page.html": body})
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
                    "--disable-background-networking", "--disable-component-update", "--disable-sync",
                    f"--user-data-dir={folder}/user", "--force-device-scale-factor=1.5", f"--screenshot={png}",
                    f"--window-size={width},{height}", f"file://{folder}/page.html"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60, check=True)
    shutil.rmtree(folder, ignore_errors=True)


def quick_start(terminal, folder):
    shutil.copytree(os.path.join(ROOT, "examples/audit"), os.path.join(folder, "audit"))
    terminal.types("clear; provost run --project audit")
    terminal.until(r"y n e .* ›")
    time.sleep(1)
    terminal.types("y")
    terminal.until(r"completed")


LINES = [f"    total += price({n}) * count({n})" for n in range(1, 31)]


def long_diff(terminal, folder):
    before = "def total():\n    total = 0\n" + "\n".join(LINES) + "\n    return total\n"
    after = "def total():\n    total = Decimal(0)\n" + "\n".join(line.replace("price", "exact_price") for line in LINES) + "\n    return total\n"
    model = Model([call("fs/write", path="src/report.py", content=after)])
    project(folder, model.url, {"src/report.py": before})
    terminal.types("clear; provost run 'make the sums exact'")
    terminal.until(r"y n e .* ›")


def failing_tests(terminal, folder):
    test = 'for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo "test sums::case_$n ... ok"; done\n' \
           'echo "test sums::negative ... FAILED"; echo; echo "sums::negative: -1 + 3 must be 2, got 4" >&2; exit 1\n'
    model = Model([call("shell/run", argv=["sh", "test.sh"]),
                   say("One test fails: **`sums::negative`**.\n\n- `src/sum.py` drops the sign of its first argument.\n- 15 other tests pass.\n\nI need the rule for negative amounts before I change it.")])
    project(folder, model.url, {"test.sh": test})
    terminal.types("clear; provost run 'why do the tests fail?'")
    terminal.until(r"completed")


def outage(terminal, folder):
    project(folder, "http://127.0.0.1:9/v1")
    terminal.types("clear; provost run 'fix the tests'")
    terminal.until(r"try 3|3 of")


def chat(terminal, folder):
    model = Model([say("Two files matter here:\n\n1. `src/sum.py` adds.\n2. `test.sh` checks it."),
                   call("fs/read", path="src/sum.py"),
                   say("It has **one** function, `add`, and no types.")])
    project(folder, model.url, {"src/sum.py": "def add(a, b):\n    return a + b\n"})
    terminal.types("clear; provost chat")
    terminal.until(r"(?m)^›")
    time.sleep(1)
    terminal.types("what is in this project?")
    terminal.until(r"checks it")
    time.sleep(1)
    terminal.types("and what is in src/sum.py?")
    terminal.until(r"no types")
    time.sleep(1)


def wide(terminal, folder):
    test = 'for n in 1 2 3; do echo "test sums::case_$n ... ok"; done; echo "test sums::negative ... FAILED"; exit 1\n'
    before = "def add(left, right):\n    \"\"\"Adds two amounts; an amount may be negative.\"\"\"\n    return abs(left) + right\n"
    after = before.replace("abs(left)", "left")
    model = Model([call("shell/run", argv=["sh", "test.sh"]), call("fs/read", path="src/sum.py"),
                   {**call("fs/write", path="src/sum.py", content=after),
                    "content": "`add` drops the sign of its first argument: `abs(left)` makes a negative amount positive. "
                               "That is why **`sums::negative`** fails while the three other tests pass, so I return the plain sum."}])
    project(folder, model.url, {"test.sh": test, "src/sum.py": before})
    terminal.types("clear; provost run 'find out why sums::negative fails, and fix it'")
    terminal.until(r"y n e .* ›")
    time.sleep(1)


SCENES = {
    "quick-start": (quick_start, (80, 66)),
    "approval-long-diff": (long_diff, (80, 24)),
    "failing-tests": (failing_tests, (80, 36)),
    "outage": (outage, (80, 16)),
    "chat": (chat, (80, 18)),
    "wide": (wide, (160, 50)),
}


def main():
    words = sys.argv[1:]
    provost = words.pop(0) if words and "/" in words[0] else os.path.join(ROOT, "target/debug/provost")
    for name in words or SCENES:
        scene, size = SCENES[name]
        folder = tempfile.mkdtemp()
        terminal = Terminal(size, folder, os.path.abspath(provost))
        try:
            scene(terminal, folder)
            draw(terminal.screen("-e").rstrip("\n"), size, os.path.join(HERE, f"{name}.png"))
            print(f"{name}.png")
        finally:
            terminal.close()
            shutil.rmtree(folder, ignore_errors=True)


main()
