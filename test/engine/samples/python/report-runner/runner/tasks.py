import subprocess

from celery import Celery, shared_task

celery = Celery("runner")


@celery.task(name="runner.convert", bind=True)
def convert(self, path, form):
    # vuln: command_injection
    subprocess.run(f"convert {path} report.pdf", shell=True)
    # vuln: command_injection
    subprocess.run(f"convert report.pdf report.{form}", shell=True)


@shared_task
def resize(path, width=100):
    # vuln: command_injection
    subprocess.run("mogrify " + path, shell=True)
    # safe: command_injection
    subprocess.run(f"mogrify -resize {width}", shell=True)


@celery.task(name="runner.nightly")
def nightly(path):
    # safe: command_injection
    subprocess.run("tar cf " + path, shell=True)


def collect(name):
    # vuln: command_injection
    subprocess.run("collect " + name, shell=True)
