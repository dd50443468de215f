"""The server that ours is compared with: grpcio as most people would write it, a pool of threads and a queue that somebody empties.

Prints its port; answers each line of its input with the number of messages that came out of the queue.
"""

import queue
import sys
import threading
from concurrent import futures

import grpc

taken = 0
received = queue.Queue(maxsize=1000)


def take():
    global taken
    while True:
        received.get()
        taken += 1
        received.task_done()


def keep(request, context):
    received.put(request)
    return b""


def stream(request, context):
    """As many items as the caller asks for, encoded once."""
    asked = dict(context.invocation_metadata())
    payload = bytes(int(asked["x-bench-bytes"]))
    for _ in range(int(asked["x-bench-items"])):
        yield payload


learner = {name: grpc.unary_unary_rpc_method_handler(keep) for name in ("SendTransition", "SendInteractionMessage")}
actor = {"StreamTransition": grpc.unary_stream_rpc_method_handler(stream)}
options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
server = grpc.server(futures.ThreadPoolExecutor(max_workers=16), options=options)
server.add_generic_rpc_handlers(
    (
        grpc.method_handlers_generic_handler("hil_serl.LearnerService", learner),
        grpc.method_handlers_generic_handler("hil_serl.ActorService", actor),
    )
)
port = server.add_insecure_port("127.0.0.1:0")
server.start()
threading.Thread(target=take, daemon=True).start()
print(port, flush=True)
for _ in sys.stdin:
    received.join()
    print(taken, flush=True)
