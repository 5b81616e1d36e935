import { debuglog, isDeepStrictEqual } from "node:util";
import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { type PluginAttach, PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import {
  type CheckRequest,
  CheckResponse,
  type ConfigureRequest,
  ConfigureResponse,
  type DiffRequest,
  DiffResponse,
  GetSchemaResponse,
  type ProviderHandshakeRequest,
  ProviderHandshakeResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { GpuClusterError } from "../base/errors";
import { version } from "../base/version";
import { providerFlags } from "../config/providerArgs";
import { removedInputs, removedSettings, removedText } from "../config/removed";
import { freshConfig, type ReadConfig, type Settings } from "../config/settings";
import type { Properties } from "../contract";
import { createProvider, type Provider } from "../index";
import schema from "../schema/schema.json";
import { asSecret, type Log, Marks, RunningOperations } from "./engine";
import { fromStruct, toStruct } from "./messages";

/** The state of one plugin process: the engine that it serves, the operations in flight, and the configured provider. */
export class Session {
  readonly engine = new EngineLog();
  readonly running = new RunningOperations(this.engine.write);
  /** The outputs that are certain, by URN, as of the last check. The preview that follows shows them. */
  readonly certain = new Map<string, Properties | undefined>();
  readonly marks = new Marks();
  readonly #calls = new Set<Promise<unknown>>();
  #end: GpuClusterError | undefined;
  #provider = createProvider(() => undefined);
  #configured: unknown;

  get provider(): Provider {
    return this.#provider;
  }

  /**
   * Takes the settings of the one provider that the process serves. The engine starts a process for each provider, but may
   * share a process that a user started by hand. A call about a resource does not name its provider: with two providers, a
   * cluster of one could reach the service and the key of the other.
   * @throws GpuClusterError if the settings differ from those that the process has, until the run has ended.
   */
  configure(settings: unknown, make: () => Provider): void {
    if (this.#configured !== undefined && !isDeepStrictEqual(this.#configured, settings)) {
      throw new GpuClusterError(
        "this plugin process already serves another provider, and cannot tell their clusters apart. " +
          "Unset PULUMI_DEBUG_PROVIDERS, so that the engine starts one process for each provider, or use one provider in the program",
      );
    }
    this.#configured = settings;
    this.#provider = make();
  }

  /** Answers one call of the engine; refuses it if the process is about to end. */
  async answer<Response>(work: () => Response | Promise<Response>): Promise<Response> {
    if (this.#end) throw this.#end;
    const call = (async () => work())();
    this.#calls.add(call);
    return call.finally(() => this.#calls.delete(call));
  }

  /** Interrupts the operations in flight and refuses all further calls. Resolves when every call has its answer. */
  async end(reason: string): Promise<void> {
    this.#end = new GpuClusterError(`nothing was done: ${reason}`);
    this.running.interrupt(reason);
    await Promise.allSettled(this.#calls);
  }

  /** Interrupts the operations in flight. The engine cancels at the end of every run too: the next may have other settings. */
  cancel(): void {
    this.running.interrupt("interrupted");
    this.#configured = undefined;
  }
}

const debug = debuglog("gpucluster");
const severities = { info: LogSeverity.INFO, warning: LogSeverity.WARNING, error: LogSeverity.ERROR };

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
      if (severity === "error") process.stderr.write(`gpucluster: ${message}\n`);
      else debug("%s: %s", urn, message);
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

/** The calls that come before any resource. The plugin accepts marked values, so it marks those that it gives back itself. */

export function handshake({ engine }: Session, request: ProviderHandshakeRequest): ProviderHandshakeResponse {
  engine.connect(request.getEngineAddress());
  return new ProviderHandshakeResponse().setSupportsAutonamingConfiguration(true).setAcceptSecrets(true);
}

/** Connects to the engine if a user started the plugin by hand, for example in a debugger. */
export function attach({ engine }: Session, request: PluginAttach): Empty {
  engine.connect(request.getAddress());
  return new Empty();
}

export function getPluginInfo(): PluginInfo {
  return new PluginInfo().setVersion(version);
}

export function getSchema(): GetSchemaResponse {
  return new GetSchemaResponse().setSchema(JSON.stringify({ ...schema, version, resources: withRemoved(schema) }));
}

/**
 * The resources with the inputs that were removed: the host of YAML refuses an input that the schema does not have, before
 * the check can say what to use instead.
 */
function withRemoved({ resources }: typeof schema) {
  const { "gpucluster:index:Cluster": cluster, ...others } = resources;
  const removed = [...removedInputs].map(([name, instead]) => {
    const deprecationMessage = removedText(name, instead);
    return [name, { $ref: "pulumi.json#/Any", description: "Removed.", deprecationMessage }] as const;
  });
  const inputProperties = { ...cluster.inputProperties, ...Object.fromEntries(removed) };
  return { ...others, "gpucluster:index:Cluster": { ...cluster, inputProperties } };
}

/** Reports no failures: the first check of a resource reports wrong settings, in the same words as in the dynamic adapter. */
export function checkConfig(_session: Session, request: CheckRequest): CheckResponse {
  return new CheckResponse().setInputs(toStruct(withSecretKeys(fromStruct(request.getNews()))));
}

/** A difference never replaces: a new key or address is no reason to replace all clusters of the provider. */
export function diffConfig(_session: Session, request: DiffRequest): DiffResponse {
  const isSame = isDeepStrictEqual(fromStruct(request.getOldInputs()), fromStruct(request.getNews()));
  const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
  return new DiffResponse().setChanges(isSame ? DIFF_NONE : DIFF_SOME);
}

export function configure(session: Session, request: ConfigureRequest): ConfigureResponse {
  const urn = request.getUrn() ?? "";
  const args = fromStruct(request.getArgs());
  session.configure({ args, isExplicit: isExplicit(urn) }, () =>
    createProvider(configReader(args, urn), isExplicit(urn) ? "provider" : "stack"),
  );
  return new ConfigureResponse()
    .setSupportspreview(true)
    .setSupportsAutonamingConfiguration(true)
    .setAcceptsecrets(true);
}

export function cancel(session: Session): Empty {
  session.cancel();
  return new Empty();
}

/**
 * Settings that are stored in plain text. A setting that this package does not know may be a key. `version` belongs to the
 * engine, which stops if the value does not come back unchanged.
 */
const open = new Set([
  "version",
  ...Object.entries(providerFlags).flatMap(([name, { secret }]) => (secret ? [] : [name])),
]);

/** The settings as the state may hold them: every setting that may be a key is encrypted, whatever its source. */
export function withSecretKeys(settings: Properties): Properties {
  const marked = Object.entries(settings).map(([name, value]) => [name, open.has(name) ? value : asSecret(value)]);
  return Object.fromEntries(marked);
}

/** Whether the program declares this provider. The engine names its own `default`, plus the version and the plugin's address. */
export function isExplicit(urn: string): boolean {
  return !/^default($|_\d+_\d+_\d+|_(https?|file|github|gitlab)_)/.test(urn.split("::").at(-1) ?? "");
}

/** Settings of the stack that hold for all of its clusters, whichever provider they have; a removed one is an error for all. */
const guards: ReadonlySet<string> = new Set([
  ...(["maxHourlyCost", "capacityCheck", "strictPreview", "resume"] satisfies (keyof Settings)[]),
  ...removedSettings.keys(),
]);

/**
 * Reads the settings of one provider. The engine configures the default provider from the stack's config, but in refresh and
 * destroy from the config in the state. The stack's present config has priority there, so that a key can be rotated.
 */
export function configReader(settings: Properties, urn: string, fresh = freshConfig()): ReadConfig {
  const ofStack = Object.fromEntries(Object.entries(fresh).filter(([name]) => guards.has(name)));
  const values = isExplicit(urn) ? { ...ofStack, ...settings } : { ...settings, ...fresh };
  return (fullName) => {
    const name = fullName.replace(/^gpucluster:/, "");
    return Object.hasOwn(values, name) ? toText(values[name]) : undefined;
  };
}

/** A program passes values of any type, the stack's config passes texts. */
function toText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
