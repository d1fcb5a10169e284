"""The peer of a web order: what Flask needs to answer a form at all. gunicorn runs it as the Procfile runs ours."""

from flask import Flask

app = Flask("hello")


@app.post("/")
def hello() -> str:
    return "Hello, world!"
