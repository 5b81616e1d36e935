import * as proto from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import * as dynamic from "../../../provider/adapters/dynamic";
import { asSecret, isSecret } from "../../../provider/adapters/engine";
import { serviceOf } from "../../../provider/adapters/plugin";
import { engineValues, fromStruct, Session, secretPathsIn, toStruct } from "../../../provider/adapters/session";
import { isRecord, type Properties } from "../../../provider/contract";
import type { Simulator } from "../../../simulator";
import { urnOf } from "../cluster/inputs";
import { configOf, type FunctionName, openProvider } from "../providerHarness";
import { type CallError, callsTo } from "./engineCalls";

/** What a call gives to the engine. */
export interface Shown {
  readonly id: string;
  /** The properties as the engine stores them, with its marks. */
  readonly state: Properties;
  /** Everything that the engine shows or stores in plain text. */
  readonly plain: unknown;
}

/** One adapter, as the engine calls it. Failures are results, because the engine shows and stores them too. */
export interface Engine {
  check(news: Properties): Promise<Shown>;
  create(inputs: Properties): Promise<Shown>;
  read(id: string, state: Properties): Promise<Shown>;
  update(id: string, state: Properties, news: Properties): Promise<Shown>;
  remove(id: string, state: Properties): Promise<Shown>;
  call(name: FunctionName, args: Properties): Promise<Shown>;
}

/** A creation and an update follow a check, as in every `pulumi up`: the check learns what the program marks. */
function afterChecks(calls: Engine): Engine {
  const afterCheck = async (news: Properties, work: () => Promise<Shown>) => {
    const checked = await calls.check(news);
    const done = await work();
    return { ...done, plain: [checked.plain, done.plain] };
  };
  return {
    ...calls,
    create: (inputs) => afterCheck(inputs, () => calls.create(inputs)),
    update: (id, state, news) => afterCheck(news, () => calls.update(id, state, news)),
  };
}

const limitSeconds = 60;

/** The value with a word in place of each secret of the engine, or with the plain value of each. */
function replaceSecrets(value: unknown, replace: (secret: unknown) => unknown): unknown {
  if (isSecret(value)) return replace(value["value"]);
  if (Array.isArray(value)) return value.map((item) => replaceSecrets(item, replace));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaceSecrets(item, replace)]));
}

const masked = (value: unknown) => replaceSecrets(value, () => "[secret]");
const propertiesOf = (value: Properties) => replaceSecrets(value, (secret) => secret) as Properties;
const shown = (state: Properties = {}, id = "", more: unknown = {}): Shown => ({
  id,
  state,
  plain: [masked(state), masked(more)],
});

function chainOf(error: unknown): unknown[] {
  if (!(error instanceof Error)) return [String(error)];
  return [error.message, error.stack, { ...error }, ...chainOf(error.cause)];
}

/** The dynamic adapter. The SDK tells it the paths of the program's secrets. */
export function dynamicEngine(simulator: Simulator): Engine {
  const own = { __urn: urnOf("web"), __timeouts: { create: `${limitSeconds}s`, update: `${limitSeconds}s` } };
  const inputsOf = (news: Properties) => ({ ...own, ...propertiesOf(news), __secrets: secretPathsIn(news) });
  const orFailure = (work: Promise<Shown>) =>
    work.catch((error: unknown) => {
      const { id = "", properties, ...others } = isRecord(error) ? (error as Properties) : {};
      return shown(isRecord(properties) ? properties : {}, String(id), [
        others,
        ...chainOf(error).map(withoutProperties),
      ]);
    });
  return afterChecks({
    check: (news) =>
      orFailure(dynamic.check({}, inputsOf(news)).then(({ inputs, failures }) => shown(inputs, "", failures))),
    create: (inputs) => orFailure(dynamic.create(inputsOf(inputs)).then(({ id, outs }) => shown(outs, id))),
    read: (id, state) =>
      orFailure(dynamic.read(id, propertiesOf(state)).then(({ props = {}, inputs }) => shown(props, id, inputs))),
    update: (id, state, news) =>
      orFailure(dynamic.update(id, propertiesOf(state), inputsOf(news)).then(({ outs }) => shown(outs, id))),
    remove: (id, state) => orFailure(dynamic.delete(id, propertiesOf(state)).then(() => shown())),
    call: (name, args) =>
      orFailure(
        openProvider(configOf(simulator))
          .call(name, args)
          .then((result) => shown({}, "", result)),
      ),
  });
}

function withoutProperties(part: unknown): unknown {
  if (!isRecord(part)) return part;
  const { properties, ...others } = part;
  return { ...others, properties: masked(properties) };
}

/** The plugin, with a session and the stack's settings of its own. */
export async function pluginEngine({ apiKey, url }: Simulator): Promise<Engine> {
  const calls = callsTo(serviceOf(new Session()));
  const orFailure = (work: Promise<Shown>) =>
    work.catch((error: CallError) => {
      const [bytes] = error.metadata?.get("grpc-status-details-bin") ?? [];
      if (!(bytes instanceof Uint8Array)) return shown({}, "", [error.details, ...chainOf(error)]);
      const detail = Status.deserializeBinary(bytes).getDetailsList()[0];
      const failure = detail?.unpack(
        proto.ErrorResourceInitFailed.deserializeBinary,
        "pulumirpc.ErrorResourceInitFailed",
      );
      const texts = [failure?.getReasonsList(), error.details, Status.deserializeBinary(bytes).getMessage()];
      return shown(engineValues(failure?.getProperties()), failure?.getId(), [...texts, ...chainOf(error).slice(0, 2)]);
    });
  await calls.configure({ apiKey: asSecret(apiKey), baseUrl: url });
  return afterChecks({
    check: async (news) => {
      const checked = calls.check(new proto.CheckRequest().setNews(toStruct(news)));
      const reasonsOf = (response: proto.CheckResponse) => response.getFailuresList().map((each) => each.getReason());
      return orFailure(checked.then((response) => shown(engineValues(response.getInputs()), "", reasonsOf(response))));
    },
    create: (inputs) =>
      orFailure(
        calls
          .create(inputs, false, limitSeconds)
          .then((made) => shown(engineValues(made.getProperties()), made.getId())),
      ),
    read: (id, state) =>
      orFailure(
        calls
          .read(id, state)
          .then((found) => shown(engineValues(found.getProperties()), id, engineValues(found.getInputs()))),
      ),
    update: (id, state, news) =>
      orFailure(
        calls
          .update(id, state, news, false, limitSeconds)
          .then((made) => shown(engineValues(made.getProperties()), id)),
      ),
    remove: (id, state) => orFailure(calls.remove(id, state).then(() => shown())),
    call: (name, args) =>
      orFailure(calls.invoke(name, args).then((answer) => shown({}, "", fromStruct(answer.getReturn())))),
  });
}

/** All strings in a value, names included, on lines of their own. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .flatMap(([name, item]) => [name, textOf(item)])
    .join("\n");
}
