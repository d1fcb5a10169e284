# Plays when it's called: STONEPOST_URL=… STONEPOST_TOKEN=… HOOK=https://bot.example.org/ PORT=8080 python3 hook_bot.py
import base64, hmac, http.server, json, os, random, urllib.error, urllib.request


def ask(path, body=None):
    headers = {"Authorization": f"Bearer {os.environ['STONEPOST_TOKEN']}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["STONEPOST_URL"] + path, data, headers)
    try:
        return json.load(urllib.request.urlopen(request, timeout=60))
    except urllib.error.HTTPError as refusal:
        return json.load(refusal)


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        told = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode()
        told += self.rfile.read(int(self.headers["Content-Length"]))
        proof = base64.b64encode(hmac.digest(base64.b64decode(hook["secrets"][0][6:]), told, "sha256")).decode()
        is_ours = f"v1,{proof}" in str(self.headers["webhook-signature"]).split()
        for match in [one for one in ask("/api/v1/matches/mine")["matches"] if one["my_turn"] and is_ours]:
            for move in sorted(ask(f"{match['url']}/moves")["moves"], key=lambda _: random.random()):
                if ask(f"{match['url']}/orders", {"text": move, "round": match["round"]}).get("status") != 422:
                    break
        self.send_response(204 if is_ours else 403)  # If anything goes wrong before this, the hook is called again.
        self.end_headers()


server = http.server.HTTPServer(("", int(os.environ["PORT"])), Hook)
hook = ask("/api/v1/hooks", {"address": os.environ["HOOK"]})
if "url" not in hook:
    raise SystemExit(hook["detail"])
ask(f"{hook['url']}/test", {})  # Calls back soon, to play what waits already.
server.serve_forever()
