const url = require('url');

module.exports = function baseUrl(req) {
  return url.format({ protocol: req.protocol, host: req.get('host') });
};
