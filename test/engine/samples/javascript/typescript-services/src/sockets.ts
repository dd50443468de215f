import { Server } from 'socket.io';
import WebSocket, { WebSocketServer } from 'ws';
import { exec } from 'child_process';
import fs from 'fs';
import { createServer } from 'http';

const io = new Server(createServer());
io.on('connection', (socket) => {
  socket.on('run', (data) => {
    // vuln: command_injection
    exec('ls ' + data.dir);
  });
  socket.on('read', async ({ file }, callback) => {
    // vuln: path_traversal
    callback(fs.readFileSync('/data/' + file));
  });
});
io.of('/admin').on('connection', (s) => {
  s.on('run', (cmd: string) => {
    // vuln: command_injection
    exec(cmd);
  });
});
const wss = new WebSocketServer({ port: 8080 });
wss.on('connection', (ws, req) => {
  ws.on('message', (message) => {
    const msg = JSON.parse(message.toString());
    // vuln: command_injection
    exec(msg.cmd);
  });
  ws.onmessage = (event) => {
    // todo-vuln: command_injection
    exec(event.data);
  };
});
