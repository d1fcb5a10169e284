# Plays all games at random: STONEPOST_URL=https://play.example.org STONEPOST_TOKEN=stonepost_… python3 random_bot.py
import json, os, random, time, urllib.request, uuid


def ask(path, body=None):
    headers = {"Authorization": f"Bearer {os.environ['STONEPOST_TOKEN']}", "Content-Type": "application/json"}
    headers["Idempotency-Key"] = str(uuid.uuid4())  # Sent twice with the same key, an order is played once.
    request = urllib.request.Request(os.environ["STONEPOST_URL"] + path, body and json.dumps(body).encode(), headers)
    while True:
        try:
            return json.load(urllib.request.urlopen(request, timeout=60))
        except OSError as trouble:
            if getattr(trouble, "code", None) in (409, 422):
                return json.load(trouble)  # The order is refused: 422, try another; 409, it's too late.
            print(trouble)  # No connection, too many requests, a bad token.
            time.sleep(5)


news = {"after": ""}
while news := ask(f"/api/v1/events?wait=25&after={news['after']}"):
    for match in [one for one in ask("/api/v1/matches/mine")["matches"] if one["my_turn"]]:
        for move in sorted(ask(f"{match['url']}/moves")["moves"], key=lambda _: random.random()):
            if ask(f"{match['url']}/orders", {"text": move, "round": match["round"]}).get("status") != 422:
                break
    time.sleep(news["pause"])
