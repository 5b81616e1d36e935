// The parts of undici that provider/api/http/send.ts uses: an agent, an agent for proxies, and requests. The index of undici
// would add `fetch`, web sockets, caches and mocks, because the bundler cannot prove that they are unused.
const Agent = require("undici/lib/dispatcher/agent");
const connect = require("undici/lib/api/api-connect");
const Dispatcher = require("undici/lib/dispatcher/dispatcher");
const EnvHttpProxyAgent = require("undici/lib/dispatcher/env-http-proxy-agent");
const request = require("undici/lib/api/api-request");

// The agent for proxies opens its tunnels with `connect`, which otherwise the index of undici would add.
Dispatcher.prototype.connect = connect;

exports.Agent = Agent;
exports.EnvHttpProxyAgent = EnvHttpProxyAgent;

exports.request = (url, { dispatcher, ...options }) =>
  request.call(dispatcher, { ...options, origin: url.origin, path: url.pathname + url.search });
