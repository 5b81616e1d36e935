import { debuglog } from "node:util";
import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import type { Log } from "../running";

const debug = debuglog("gpucluster");
const severities = { info: LogSeverity.INFO, warning: LogSeverity.WARNING };

/** The engine's log. Without an engine, for example if a user starts the plugin by hand, messages go to the debug log. */
export class EngineLog {
  #client: EngineClient | undefined;

  connect(address: string): void {
    this.#client?.close();
    this.#client = new EngineClient(address, credentials.createInsecure());
  }

  readonly write: Log = (message, { urn, severity = "info", ephemeral = false }) => {
    const client = this.#client;
    if (!client) {
      debug("%s: %s", urn, message);
      return Promise.resolve();
    }
    const request = new LogRequest()
      .setSeverity(severities[severity])
      .setMessage(message)
      .setUrn(urn)
      .setEphemeral(ephemeral);
    return new Promise((done) => {
      client.log(request, (error) => {
        if (error) debug("a message could not be sent: %s", error.message);
        done();
      });
    });
  };
}
