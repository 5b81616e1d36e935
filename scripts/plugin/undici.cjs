// What provider/api/http.ts takes of undici: an agent and its requests. The index of undici would bring `fetch`, web sockets,
// caches and mocks along, which the bundler cannot tell to be unused.
const Agent = require("undici/lib/dispatcher/agent");
const request = require("undici/lib/api/api-request");

exports.Agent = Agent;

exports.request = (url, { dispatcher, ...options }) =>
  request.call(dispatcher, { ...options, origin: url.origin, path: url.pathname + url.search });
