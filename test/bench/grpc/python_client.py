"""Sends messages with grpcio for a while, some at once: one thread each, all on one channel.

Reads a job as JSON from each line of its input and answers with what load.ts calls Sent.
"""

import json
import sys
import threading
import time
from collections import Counter

import grpc


def message(payload):
    """Transition: field 1, length-delimited."""
    length, head = len(payload), [0x0A]
    while length >= 0x80:
        head.append(length % 0x80 + 0x80)
        length //= 0x80
    return bytes([*head, length]) + payload


def run(job):
    body = message(bytes(job["bytes"]))
    metadata = list(job["metadata"].items())
    options = [("grpc.max_send_message_length", -1), ("grpc.enable_retries", 0), ("grpc.use_local_subchannel_pool", 1)]
    ended, latencies = Counter(), []
    with grpc.insecure_channel(f"127.0.0.1:{job['port']}", options=options) as channel:
        send = channel.unary_unary("/hil_serl.LearnerService/SendTransition")
        grpc.channel_ready_future(channel).result(timeout=20)
        begun = time.perf_counter()
        until = begun + job["seconds"]
        left = iter(range(job["messagesMax"]))

        def work():
            while time.perf_counter() < until and next(left, None) is not None:
                sent = time.perf_counter()
                try:
                    send(body, metadata=metadata, timeout=60)
                except grpc.RpcError as error:
                    ended[error.code().name] += 1
                    time.sleep(0.02)
                else:
                    ended["OK"] += 1
                    latencies.append(time.perf_counter() - sent)

        threads = [threading.Thread(target=work) for _ in range(job["concurrency"])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - begun
    latencies.sort()
    at = lambda share: 1000 * latencies[int(share * (len(latencies) - 1))] if latencies else 0
    return {"ended": ended, "seconds": seconds, "p50Ms": at(0.5), "p99Ms": at(0.99)}


for line in sys.stdin:
    print(json.dumps(run(json.loads(line))), flush=True)
