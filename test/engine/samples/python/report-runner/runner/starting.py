from celery import signature
from flask import Blueprint, request
from redis import Redis
from rq import Queue

from .tasks import celery

starting = Blueprint("starting", __name__)
queue = Queue(connection=Redis())


@starting.post("/start")
def start():
    given = request.get_json()
    celery.send_task("runner.convert", args=[given["path"]], kwargs={"form": given["form"]})
    celery.send_task("runner.nightly", args=["/srv/reports"])
    signature("runner.tasks.resize", args=(given["path"],)).apply_async()
    queue.enqueue("runner.tasks.collect", given["name"], job_timeout=60)
    return {"ok": True}
