"""What an actor in Python sees of the two services: grpcio, and messages written by hand, so that no code has to be generated.

Usage: plain_client.py PORT; prints one JSON object.
"""

import json
import sys

import grpc


def message(payload):
    """Transition, InteractionMessage or Parameters: field 1, length-delimited."""
    length, head = len(payload), [0x0A]
    while length >= 0x80:
        head.append(length % 0x80 + 0x80)
        length //= 0x80
    return bytes([*head, length]) + payload


def refusal(call):
    try:
        call()
    except grpc.RpcError as error:
        return [error.code().name, dict(error.trailing_metadata()).get("grpc-retry-pushback-ms")]
    return ["OK", None]


options = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1), ("grpc.enable_retries", 0)]
with grpc.insecure_channel(f"127.0.0.1:{sys.argv[1]}", options=options) as channel:
    send = channel.unary_unary("/hil_serl.LearnerService/SendTransition")
    _, call = send.with_call(message(b"from Python"))
    _, compressed = send.with_call(message(b"much the same " * 1000), compression=grpc.Compression.Gzip)
    big = message(bytes(3_000_000))
    for _ in range(5):
        send(big)
    stream = channel.unary_stream("/hil_serl.ActorService/StreamTransition")(
        b"", metadata=[("x-hil-from", "earliest")]
    )
    first_offset = dict(stream.initial_metadata())["x-hil-first-offset"]
    items = [next(stream) for _ in range(7)]
    stream.cancel()
    print(
        json.dumps(
            {
                "offset": dict(call.trailing_metadata())["x-hil-offset"],
                "compressed": compressed.code().name,
                "first_offset": first_offset,
                "item": items[0].hex(),
                "bytes": [len(item) for item in items],
                "malformed": refusal(lambda: send(b"\x0a\x05")),
                "oversize": refusal(lambda: send(message(bytes(4 * 1024 * 1024)))),
                "after": refusal(lambda: send(message(b"still here"))),
            }
        )
    )
