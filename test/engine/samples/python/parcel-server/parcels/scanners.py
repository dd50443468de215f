"""Scanners in the depots talk over plain sockets."""

import asyncio
import json
import pickle
import socket
import socketserver

import yaml

from .store import Store, connect


def serve():
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    server.bind(("127.0.0.1", 9000))
    server.listen()
    while True:
        connection, address = server.accept()
        message = connection.recv(4096)
        # vuln: deserialization
        parcel = pickle.loads(message)
        # safe: deserialization
        other = json.loads(message)
        connection.sendall(repr((address, parcel, other)).encode())


class Depot(socketserver.StreamRequestHandler):
    def handle(self):
        line = self.rfile.readline().strip().decode()
        command, _, argument = line.partition(" ")
        store = Store(connect())
        if command == "FIND":
            store.find(argument)
        elif command == "FIND2":
            store.find_safe(argument)
        elif command == "DELETE":
            store.remove(argument)
        elif command == "SORT":
            store.sorted_by(argument)
        elif command == "HEAVIER":
            store.heavier(argument)


async def talk(reader, writer):
    line = await reader.readline()
    # vuln: deserialization
    settings = yaml.load(line, Loader=yaml.UnsafeLoader)
    # safe: deserialization
    others = yaml.safe_load(line)
    writer.write(repr((settings, others)).encode())


async def main():
    server = await asyncio.start_server(talk, "127.0.0.1", 9001)
    await server.serve_forever()
