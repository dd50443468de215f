const Hapi = require('@hapi/hapi');
const fs = require('fs');
const { exec } = require('child_process');
const server = Hapi.server({ port: 3000 });
server.route({
  method: 'GET',
  path: '/f/{name}',
  handler: (request, h) => {
    // vuln: command_injection
    exec('ls ' + request.query.dir);
    // vuln: path_traversal
    return h.file('./files/' + request.params.name);
  },
});
server.route({ method: 'POST', path: '/x', handler: async function (req, h) {
  // vuln: open_redirect
  return h.redirect(req.payload.next);
} });
