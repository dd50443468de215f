import asyncio
import subprocess


def run(words):
    # vuln: command_injection
    return subprocess.run(words, check=True)


def run_fixed(words):
    # safe: command_injection
    return subprocess.run(words, check=True)


async def run_later(words):
    # safe: command_injection
    process = await asyncio.create_subprocess_exec(*words, stdout=subprocess.PIPE)
    out, _ = await process.communicate()
    return out


def run_started(words):
    # vuln: command_injection
    return subprocess.Popen(words, shell=True)
