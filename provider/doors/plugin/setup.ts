import { isDeepStrictEqual } from "node:util";
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
import { createProvider } from "../../index";
import schema from "../../schema/schema.json";
import { version } from "../../version";
import { configReader, isExplicit, withSecretKeys } from "./configuration";
import type { Session } from "./session";
import { fromStruct, toStruct } from "./struct";

/**
 * The calls that come before any resource. The plugin accepts no special values: secrets arrive as plain values, and the
 * engine marks the values that it gets back.
 */

export function handshake({ engine }: Session, request: ProviderHandshakeRequest): ProviderHandshakeResponse {
  engine.connect(request.getEngineAddress());
  return new ProviderHandshakeResponse().setSupportsAutonamingConfiguration(true);
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
  return new GetSchemaResponse().setSchema(JSON.stringify({ ...schema, version }));
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
    createProvider(configReader(args, urn), isExplicit(urn)),
  );
  return new ConfigureResponse().setSupportspreview(true).setSupportsAutonamingConfiguration(true);
}

export function cancel(session: Session): Empty {
  session.cancel();
  return new Empty();
}
