// What provider/api/http.ts takes of undici: an agent, one for proxies, and requests. The index of undici would bring `fetch`, web sockets,
// caches and mocks along, which the bundler cannot tell to be unused.
const Agent = require("undici/lib/dispatcher/agent");
const connect = require("undici/lib/api/api-connect");
const Dispatcher = require("undici/lib/dispatcher/dispatcher");
const EnvHttpProxyAgent = require("undici/lib/dispatcher/env-http-proxy-agent");
const request = require("undici/lib/api/api-request");

// The agent for proxies opens its tunnels by it; the index of undici would add it.
Dispatcher.prototype.connect = connect;

exports.Agent = Agent;
exports.EnvHttpProxyAgent = EnvHttpProxyAgent;

exports.request = (url, { dispatcher, ...options }) =>
  request.call(dispatcher, { ...options, origin: url.origin, path: url.pathname + url.search });
