/**
 * The plugin adapter: `pulumi-resource-gpucluster`, the process that the engine starts for programs in any language. The
 * adapter translates between the core and gRPC, and decides nothing. scripts/plugin.mjs bundles it into one file.
 */
import { debuglog } from "node:util";
import { type handleUnaryCall, type Metadata, Server, ServerCredentials } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb";
import { traceEndpoint } from "../config";
import { messageOf } from "../errors";
import { engineAddressIn } from "./engine";
import { toServiceError } from "./plugin/messages";
import * as operations from "./plugin/operations";
import * as readiness from "./plugin/readiness";
import * as setup from "./plugin/session";
import { endOf, type Libraries, tracingTo } from "./tracing";

const debug = debuglog("gpucluster");

/** The engine's calls that this process implements. gRPC answers every other call with "not implemented". */
export function serviceOf(session: setup.Session) {
  /** Turns every failure into an answer, also one that `work` throws synchronously. */
  const answer =
    <Request, Response>(work: Work<Request, Response>): handleUnaryCall<Request, Response> =>
    ({ request, metadata }, callback) => {
      const run = () => work(session, request);
      new Promise<Response>((done) => done(session.tracing.under(traceparentIn(metadata), run))).then(
        (response) => callback(null, response),
        (error) => callback(toServiceError(error)),
      );
    };
  return {
    handshake: answer(setup.handshake),
    attach: answer(setup.attach),
    getPluginInfo: answer(setup.getPluginInfo),
    getSchema: answer(setup.getSchema),
    checkConfig: answer(setup.checkConfig),
    diffConfig: answer(setup.diffConfig),
    configure: answer(setup.configure),
    cancel: answer(setup.cancel),
    check: answer(about(operations.check, readiness.check)),
    diff: answer(about(operations.diff, readiness.diff)),
    create: answer(about(operations.create, readiness.create)),
    read: answer(about(operations.read, readiness.read)),
    update: answer(about(operations.update, readiness.update)),
    delete: answer(about(operations.remove, readiness.remove)),
    // The code for components is loaded if a program has one.
    construct: answer(async (own: setup.Session, request: ConstructRequest) => {
      const { construct } = await import("./plugin/construct.js");
      return construct(own, request);
    }),
    invoke: answer(operations.invoke),
    list: (stream: Parameters<typeof operations.list>[1]) => {
      const run = () => operations.list(session, stream);
      session.tracing
        .under(traceparentIn(stream.metadata), run)
        .catch((error) => stream.emit("error", toServiceError(error)));
    },
  };
}

type Work<Request, Response> = (session: setup.Session, request: Request) => Response | Promise<Response>;

/** The calls about a resource go to the code of its type. */
function about<Request extends { getUrn(): string }, Response>(
  ofCluster: Work<Request, Response>,
  ofReadiness: Work<Request, Response>,
): Work<Request, Response> {
  return (session, request) =>
    (operations.typeIn(request.getUrn()) === readiness.readinessType ? ofReadiness : ofCluster)(session, request);
}

/** The engine's own span of a call. */
function traceparentIn(metadata: Metadata | undefined): string | undefined {
  return metadata?.get("traceparent")[0]?.toString();
}

/** In the bundle, no code of these packages runs before this. */
const openTelemetry = (): Libraries => ({
  api: require("@opentelemetry/api"),
  sdk: require("@opentelemetry/sdk-trace-base"),
  exporter: require("@opentelemetry/exporter-trace-otlp-grpc"),
  resources: require("@opentelemetry/resources"),
});

/** Reports an uncaught error and continues: if this process ended, other operations would lose clusters that they create. */
function surviveErrors({ engine }: setup.Session): void {
  const report = (error: unknown) => {
    debug("unexpected: %s", error instanceof Error ? error.stack : error);
    void engine.write(`an unexpected error of the provider: ${messageOf(error)}`, { urn: "", severity: "warning" });
  };
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
}

/** Serves the engine at the address of the command line; without an address, any engine that attaches. */
function main(engineAddress: string | undefined): void {
  const warnings: string[] = [];
  const tracing = tracingTo(traceEndpoint(), openTelemetry, (message) => warnings.push(message));
  const session = new setup.Session(tracing);
  const end = endOf(tracing, () => session.running.end());
  surviveErrors(session);
  if (engineAddress) {
    session.engine.connect(engineAddress);
    for (const message of warnings) void session.engine.write(message, { urn: "", severity: "warning" });
    // If the engine is killed, standard input closes. Nothing else would end the process.
    process.stdin.on("end", () => end(1)).resume();
  }
  // No limits of size: a whole schema, or a long list, is one message.
  const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
  server.addService(ResourceProviderService, serviceOf(session));
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) => {
    if (error) {
      // The engine waits for the port until this process ends.
      process.stderr.write(`gpucluster: no port on 127.0.0.1: ${messageOf(error)}\n`);
      process.exit(1);
    }
    // The engine reads the port from the first line.
    process.stdout.write(`${port}\n`);
  });
}

if (require.main === module) main(engineAddressIn(process.argv.slice(2)));
