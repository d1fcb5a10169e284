"""The peer of a web order: the least that Flask needs to answer a form. gunicorn runs it as the Procfile runs ours."""

from flask import Flask

app = Flask("hello")


@app.post("/")
def hello() -> str:
    return "Hello, world!"
