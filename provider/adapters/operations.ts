import type { ServerWritableStream } from "@grpc/grpc-js";
import {
  CheckFailure,
  CheckRequest,
  CheckResponse,
  type CreateRequest,
  CreateResponse,
  type DeleteRequest,
  type DiffRequest,
  type DiffResponse,
  type InvokeRequest,
  InvokeResponse,
  type ListRequest,
  ListResponse,
  type ReadRequest,
  ReadResponse,
  type UpdateRequest,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { GpuClusterError } from "../base/errors";
import { judgedNames } from "../cluster/model/fields";
import { newSecrets } from "../cluster/model/secrets";
import { stateOutputNames } from "../cluster/model/stateFields";
import { type Ctx, type Diff, InitError, type Naming, type Properties, type Resource, UNKNOWN } from "../contract";
import type { Provider } from "../index";
import { reasonOf, withMarkedInputs, withSecrets } from "./engine";
import { markedPaths, withSecretsOf } from "./marks";
import { fromStruct, markedValues, toDiffResponse, toStruct } from "./messages";
import type { Session } from "./session";

const { Mode } = CheckRequest.AutonamingOptions;

/** The calls about resources and functions. */

export function check(session: Session, request: CheckRequest): Promise<CheckResponse> {
  return inContext(session, "check", request, async (ctx) => {
    const resource = resourceOf(session.provider, ctx.urn);
    const [news, olds] = [withMarkedPaths(request.getNews()), propertiesOf(request.getOlds())];
    const { inputs, failures, certain } = await resource.check(
      { ...ctx, showsOutputs: true, naming: namingOf(request) },
      news,
      olds,
    );
    session.certain.set(ctx.urn, certain);
    session.marks.note(ctx.urn, news);
    return new CheckResponse()
      .setInputs(markedInputs(inputs, request.getNews()))
      .setFailuresList(failures.map((failure) => new CheckFailure().setReason(reasonOf(failure))));
  });
}

/** The stack's `pulumi:autonaming` for this resource. The engine has filled in the pattern already. */
function namingOf(request: CheckRequest): Naming | undefined {
  const autonaming = request.getAutonaming();
  const isDisabled = autonaming?.getMode() === Mode.DISABLE;
  return autonaming && (isDisabled ? {} : { proposed: autonaming.getProposedName() });
}

export function diff(session: Session, request: DiffRequest): Promise<DiffResponse> {
  return inContext(session, "diff", request, async (ctx) => {
    const resource = resourceOf(session.provider, ctx.urn);
    const [id, state] = [request.getId(), propertiesOf(request.getOlds())];
    const news = session.marks.on(ctx.urn, propertiesOf(request.getNews()));
    await resource.recognize(ctx, id, state, news);
    const { changes, ...order } = resource.diff(state, news, { id, urn: ctx.urn });
    return toDiffResponse({ changes: withMarkLines(changes, state, news), ...order });
  });
}

export function create(session: Session, request: CreateRequest): Promise<CreateResponse> {
  return inContext(session, "create", request, async (ctx) => {
    const resource = resourceOf(session.provider, ctx.urn);
    const inputs = session.marks.on(ctx.urn, propertiesOf(request.getProperties()));
    if (request.getPreview()) {
      return new CreateResponse().setProperties(
        outputs(previewOf(resource, inputs, session.certain.get(ctx.urn)), request.getProperties()),
      );
    }
    const { id, state } = await resource.create(ctx, inputs);
    return new CreateResponse().setId(id).setProperties(outputs(state, request.getProperties()));
  });
}

/** The answer is empty if the cluster does not exist. */
export function read(session: Session, request: ReadRequest): Promise<ReadResponse> {
  return inContext(session, "read", request, async (ctx) => {
    const id = request.getId();
    const state = propertiesOf(request.getProperties());
    const found = await resourceOf(session.provider, ctx.urn).read(ctx, id, state);
    if (!found) return new ReadResponse();
    const inputs = withoutOutputs(found.inputs);
    return new ReadResponse()
      .setId(id)
      .setProperties(outputs(found.state, request.getProperties()))
      .setInputs(markedInputs(inputs, request.getInputs()));
  });
}

export function update(session: Session, request: UpdateRequest): Promise<UpdateResponse> {
  return inContext(session, "update", request, async (ctx) => {
    const resource = resourceOf(session.provider, ctx.urn);
    const state = propertiesOf(request.getOlds());
    const news = session.marks.on(ctx.urn, propertiesOf(request.getNews()));
    const next = request.getPreview()
      ? previewOf(resource, news, state)
      : await resource.update(ctx, request.getId(), state, news);
    return new UpdateResponse().setProperties(outputs(next, request.getNews()));
  });
}

export function remove(session: Session, request: DeleteRequest): Promise<Empty> {
  return inContext(session, "delete", request, async (ctx) => {
    const state = propertiesOf(request.getProperties());
    await resourceOf(session.provider, ctx.urn).delete(ctx, request.getId(), state);
    return new Empty();
  });
}

export async function invoke({ provider }: Session, request: InvokeRequest): Promise<InvokeResponse> {
  const name = request.getTok().replace(/^gpucluster:index:/, "");
  const ask = new Map(Object.entries(provider.functions)).get(name);
  if (!ask) throw new GpuClusterError(`there is no function ${request.getTok()}`);
  return new InvokeResponse().setReturn(toStruct(await ask(fromStruct(request.getArgs()))));
}

interface ResourceRequest {
  getUrn(): string;
  /** Seconds; 0 if the program sets no timeout. */
  getTimeout?(): number;
  /** The inputs of the program: as news in an update, as properties in a creation. */
  getNews?(): Struct | undefined;
  getProperties?(): Struct | undefined;
}

async function inContext<T>(
  { running }: Session,
  operation: string,
  request: ResourceRequest,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  const seconds = request.getTimeout?.();
  const timeoutMs = seconds ? seconds * 1000 : undefined;
  try {
    return await running.run({ operation, urn: request.getUrn(), timeoutMs }, work);
  } catch (error) {
    if (!(error instanceof InitError)) throw error;
    const { id, state, reasons, cause } = error;
    const own = (request.getNews ?? request.getProperties)?.call(request);
    throw new InitError(id, withMarks(state, own), reasons, { cause });
  }
}

function propertiesOf(struct: Struct | undefined): Properties {
  return ownProperties(fromStruct(struct));
}

/** The properties of a program, with the paths of what it marks as secret: the core gets plain values. */
function withMarkedPaths(struct: Struct | undefined): Properties {
  const properties = propertiesOf(struct);
  const { __secrets: known = [] } = properties;
  const paths = [...(Array.isArray(known) ? known : []), ...markedPaths(judgedOf(markedValues(struct)))];
  return paths.length > 0 ? { ...properties, __secrets: [...new Set(paths)].sort() } : properties;
}

/** The inputs that may hold secrets. */
function judgedOf(properties: Properties): Properties {
  return Object.fromEntries(
    Object.entries(properties).filter(([name]) => judgedNames.some((judged) => judged === name)),
  );
}

function outputs(properties: Properties, marked: Struct | undefined): Struct {
  return toStruct(withMarks(properties, marked));
}

function markedInputs(inputs: Properties, marked: Struct | undefined): Struct {
  return toStruct(withSecretsOf(withMarkedInputs(inputs), markedValues(marked)));
}

/** The changes with the paths of what the program marks as secret only now: a hidden name tells a person nothing. */
function withMarkLines({ __secrets: mark, ...changes }: Diff["changes"], state: Properties, news: Properties) {
  const paths = mark ? newSecrets(state, news) : [];
  // The engine shows a variable by its name, and any other value under the name of its input.
  const lines = paths.map((path) => (path.startsWith("env.") ? path : path.replace(/\..*$/s, "")));
  return { ...Object.fromEntries(lines.map((path) => [path, { kind: "update" as const }])), ...changes };
}

/** Marks what is always secret, and what the program, or the state, has marked: the engine leaves that to the plugin. */
function withMarks(properties: Properties, marked: Struct | undefined): Properties {
  return withSecretsOf(withSecrets(properties), markedValues(marked));
}

/** Inputs that only the dynamic adapter uses. A resource that moves from there still has them in its state. */
const foreign = new Set(["__provider", "__urn", "__timeouts"]);

/** The properties of a resource without the inputs of the dynamic adapter. */
function ownProperties(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !foreign.has(name)));
}

function typeIn(urn: string): string | undefined {
  return urn.split("::")[2]?.split("$").at(-1);
}

/** The resource implementation for the type in a URN. */
function resourceOf({ cluster }: Provider, urn: string): Resource {
  const type = typeIn(urn);
  if (type === "gpucluster:index:Cluster") return cluster;
  throw new GpuClusterError(`unknown resource type ${type}; this plugin has gpucluster:index:Cluster`);
}

/** Inputs without outputs, except the cost: a preview has to show the cost, and the engine shows inputs only. */
export function withoutOutputs(inputs: Properties): Properties {
  const computed = new Set<string>(stateOutputNames.filter((name) => name !== "hourlyCost"));
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => !computed.has(name)));
}

/** The outputs in a preview: the value if it is certain, else "unknown". */
export function previewOf(resource: Resource, news: Properties, known?: Properties): Properties {
  const unknown = Object.fromEntries(stateOutputNames.map((name) => [name, UNKNOWN]));
  return { ...unknown, ...news, ...resource.preview(news, known) };
}

/** The clusters of the organization, for a user who wants to import one. */
export async function list(
  { provider }: Session,
  stream: ServerWritableStream<ListRequest, ListResponse>,
): Promise<void> {
  const { clusters } = await provider.getClusters();
  const limit = stream.request.getLimit() || clusters.length;
  for (const { id, name = id } of clusters.slice(0, limit)) {
    stream.write(new ListResponse().setResult(new ListResponse.Result().setId(id).setName(name)));
  }
  stream.end();
}
