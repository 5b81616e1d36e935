import { spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { credentials, type handleUnaryCall, Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { type LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { ConfigureRequest, CreateRequest, ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";

interface ProviderOptions {
  /** The folder from which the process loads its packages. */
  readonly cwd: string;
  readonly env: Record<string, string>;
  /** The program `node`; that of the tests by default. */
  readonly node?: string;
}

/** The answer to a creation. */
export interface Created {
  /** Empty if there is no resource. */
  readonly id: string;
  /** Empty if the creation succeeded. */
  readonly error: string;
}

/** A provider's process, of either adapter, with a small engine that starts it, receives its messages and calls it. */
export interface ProviderProcess {
  /** The messages to the engine, without progress, such as `ERROR: no such image`. */
  readonly messages: readonly string[];
  /** The exit code and the signal. */
  readonly ended: Promise<unknown[]>;
  create(type: string, inputs: Record<string, Parameters<typeof Struct.fromJavaScript>[0][string]>): Promise<Created>;
  cancel(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  close(): Promise<void>;
}

/** Starts `node <args> <address of the engine>`. Resolves when the process is configured: with its environment alone. */
export async function startProvider(args: readonly string[], options: ProviderOptions): Promise<ProviderProcess> {
  const { cwd, env, node = process.execPath } = options;
  const messages: string[] = [];
  const { engine, address } = await startEngine(messages);
  const child = spawn(node, [...args, address], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const [port] = await once(child.stdout.setEncoding("utf8"), "data");
  const client = new ResourceProviderClient(`127.0.0.1:${port.trim()}`, credentials.createInsecure());
  const request = new ConfigureRequest().setArgs(new Struct());
  await new Promise<void>((done, fail) => client.configure(request, (error) => (error ? fail(error) : done())));
  return {
    messages,
    ended,
    create: (type, inputs) =>
      new Promise((done) => {
        const urn = `urn:pulumi:dev::shop::${type}::web`;
        const request = new CreateRequest().setUrn(urn).setProperties(Struct.fromJavaScript(inputs));
        client.create(request, (error, response) => done(error ? failed(error) : { id: response.getId(), error: "" }));
      }),
    cancel: () => new Promise((done) => client.cancel(new Empty(), () => done())),
    signal: (name) => child.kill(name),
    async close() {
      client.close();
      child.kill();
      await ended;
      engine.forceShutdown();
    },
  };
}

/** A small engine that receives messages. */
export async function startEngine(messages: string[]): Promise<{ engine: Server; address: string }> {
  const engine = new Server();
  const names = Object.entries(LogSeverity);
  const log: handleUnaryCall<LogRequest, Empty> = ({ request }, callback) => {
    const name = names.find(([, severity]) => severity === request.getSeverity())?.[0];
    if (!request.getEphemeral()) messages.push(`${name}: ${request.getMessage()}`);
    callback(null, new Empty());
  };
  engine.addService(EngineService, { log });
  const bind = promisify(engine.bindAsync.bind(engine));
  return { engine, address: `127.0.0.1:${await bind("127.0.0.1:0", ServerCredentials.createInsecure())}` };
}

function failed({ details, metadata }: ServiceError): Created {
  const [bytes] = metadata.get("grpc-status-details-bin");
  const [detail] = typeof bytes === "object" ? Status.deserializeBinary(bytes).getDetailsList() : [];
  const failure = detail?.unpack(ErrorResourceInitFailed.deserializeBinary, "pulumirpc.ErrorResourceInitFailed");
  return { id: failure?.getId() ?? "", error: failure?.getReasonsList().join("\n") || details };
}
