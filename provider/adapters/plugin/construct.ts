import { setMaxListeners } from "node:events";
import { type ConstructRequest, ConstructResponse } from "@pulumi/pulumi/proto/provider_pb";
import { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";
import { inputFlags, inputNames } from "../../cluster/fields";
import { isRecord, type Properties, UNKNOWN } from "../../core";
import { GpuClusterError, messageOf } from "../../errors";
import { type FleetForm, membersOf, problemOfFleet, sumOfCosts, wavesOf } from "../../fleet";
import { asSecret } from "../engine";
import { fieldsOf, hasSecret, revealed } from "./marks";
import { fromStruct, markedValues, toStruct } from "./messages";
import { Monitor, type Registered, requestFor } from "./monitor";
import { readinessType } from "./readiness";
import type { Session } from "./session";

/** The component that the plugin declares for programs in any language. The TypeScript one is in sdk/clusterFleet.ts. */

const type = "gpucluster:index:ClusterFleet";

/** A declared cluster: its key, its inputs as the program gives them, and what the engine has registered. */
interface Member {
  readonly key: string;
  readonly args: Properties;
  readonly cluster: Registered;
}

/** Declares a fleet and its clusters, wave by wave. Answers when all of them are ready. */
export function construct(session: Session, request: ConstructRequest): Promise<ConstructResponse> {
  return session.running.run({ operation: "construct", urn: "" }, async ({ signal }) => {
    // Every registration of a wave listens to the one interrupt.
    setMaxListeners(0, signal);
    const monitor = new Monitor(request.getMonitorendpoint(), signal);
    try {
      return await new Fleet(session, request, monitor).declare();
    } finally {
      monitor.close();
    }
  });
}

class Fleet {
  readonly #name: string;
  readonly #form: FleetForm<Properties>;

  constructor(
    private readonly session: Session,
    private readonly request: ConstructRequest,
    private readonly monitor: Monitor,
  ) {
    this.#name = request.getName();
    this.#form = formOf(request);
  }

  async declare(): Promise<ConstructResponse> {
    const { urn } = await this.monitor.register(componentRequest(this.request));
    const { waves, await: mode } = this.#form;
    const declared: Member[] = [];
    let before: readonly string[] = [];
    for (const [index, wave] of wavesOf(membersOf(this.#form, false), waves).entries()) {
      const members = await this.#declareWave(urn, wave, before);
      declared.push(...members);
      before = mode === "together" ? [await this.#await(urn, index + 1, members)] : urnsOf(members);
    }
    const outputs = outputsOf(declared, this.request.getDryrun());
    await this.monitor.registerOutputs(urn, outputs);
    const response = new ConstructResponse().setUrn(urn).setState(toStruct(outputs));
    for (const name of Object.keys(outputs)) {
      const dependencies = new ConstructResponse.PropertyDependencies().setUrnsList(urnsOf(declared));
      response.getStatedependenciesMap().set(name, dependencies);
    }
    return response;
  }

  /** @param before URNs of the resources that have to be ready before. */
  async #declareWave(parent: string, wave: [string, Properties][], before: readonly string[]): Promise<Member[]> {
    const isTogether = this.#form.await === "together";
    const ends = await Promise.allSettled(
      wave.map(async ([key, args]): Promise<Member> => {
        const inputs = isTogether ? { ...args, skipAwait: true } : args;
        const request = requestFor("gpucluster:index:Cluster", `${this.#name}-${key}`, parent, inputs);
        return { key, args, cluster: await this.#register(this.#asMember(request, before)) };
      }),
    );
    // After the last one has ended: the engine ends the run at the first error of a component.
    const failed = ends.find((end) => end.status === "rejected");
    if (failed) throw failed.reason;
    return ends.flatMap((end) => (end.status === "fulfilled" ? end.value : []));
  }

  /** Declares the one operation that waits for a wave, and returns its URN. */
  async #await(parent: string, number: number, members: readonly Member[]): Promise<string> {
    const isPreview = this.request.getDryrun();
    const clusters = Object.fromEntries(members.map((member) => [member.key, awaited(member, isPreview)]));
    const request = requestFor(readinessType, `${this.#name}-wave-${number}`, parent, { clusters })
      .setCustom(true)
      .setProvider(this.session.reference)
      .setDependenciesList(urnsOf(members))
      .setCustomtimeouts(timeoutsOf(this.request));
    return (await this.#register(request)).urn;
  }

  async #register(request: RegisterResourceRequest): Promise<Registered> {
    try {
      return await this.monitor.register(request);
    } catch (error) {
      throw refusal(this.#name, reasonOf(request.getName(), error));
    }
  }

  /** The request for a cluster, with the options of the fleet that the engine passes on to no child. */
  #asMember(request: RegisterResourceRequest, before: readonly string[]): RegisterResourceRequest {
    const sources: string[] = [];
    this.request.getInputdependenciesMap().forEach((dependencies) => {
      sources.push(...dependencies.getUrnsList());
    });
    return request
      .setCustom(true)
      .setProvider(this.session.reference)
      .setDependenciesList([...new Set([...this.request.getDependenciesList(), ...sources, ...before])])
      .setIgnorechangesList(this.request.getIgnorechangesList())
      .setReplaceonchangesList(this.request.getReplaceonchangesList())
      .setCustomtimeouts(timeoutsOf(this.request));
  }
}

function refusal(name: string, text: string): GpuClusterError {
  return new GpuClusterError(`ClusterFleet "${name}": ${text}`);
}

/** If an operation has failed, the engine has shown the reason on the row of the resource, and gives none here. */
function reasonOf(name: string, error: unknown): string {
  const text = messageOf(error);
  const isShown = /^\S+ (CANCELLED|UNAVAILABLE)\b|resource registration failed/.test(text);
  return isShown ? `the run ended before ${name} was ready: see the rows of its clusters` : `${name}: ${text}`;
}

/** @throws GpuClusterError if the program describes no fleet. */
function formOf(request: ConstructRequest): FleetForm<Properties> {
  if (request.getType() !== type) throw new GpuClusterError(`there is no component ${request.getType()}`);
  const plain: FleetForm<unknown> = fromStruct(request.getInputs());
  const marked = markedValues(request.getInputs());
  const argsOf = (value: unknown) => (isUnknown(value, request) ? unknownArgs : fieldsOf(value));
  const byKey = Object.entries(fieldsOf(marked["clusters"]) ?? {}).map(([key, args]) => [key, argsOf(args)]);
  const form = {
    ...plain,
    cluster: argsOf(marked["cluster"]) ?? plain.cluster,
    clusters: isRecord(plain.clusters) ? Object.fromEntries(byKey) : plain.clusters,
  };
  const problem = problemOfFleet(form);
  if (problem !== undefined) throw refusal(request.getName(), problem);
  return form as FleetForm<Properties>;
}

/** A cluster of which nothing is known yet: Pulumi's SDK for Go passes on an object as a whole, or as unknown. */
const unknownArgs = Object.fromEntries(
  inputNames
    .filter((name) => name !== "name" && name !== "adopt" && !inputFlags[name].plain)
    .map((name) => [name, UNKNOWN]),
);

function isUnknown(value: unknown, request: ConstructRequest): boolean {
  return request.getDryrun() && revealed(value) === UNKNOWN;
}

/** The component itself. It holds no inputs: they are those of its clusters. */
function componentRequest(request: ConstructRequest): RegisterResourceRequest {
  const component = requestFor(type, request.getName(), request.getParent(), {})
    .setDependenciesList(request.getDependenciesList())
    .setAliasesList(request.getAliasesList())
    .setDeletedwith(request.getDeletedwith())
    .setReplaceWithList(request.getReplaceWithList());
  const [protect, retain] = [request.getProtect(), request.getRetainondelete()];
  if (protect !== undefined) component.setProtect(protect);
  if (retain !== undefined) component.setRetainondelete(retain);
  const hooks = request.getResourceHooks();
  // The two messages have the same fields.
  if (hooks)
    component.setHooks(RegisterResourceRequest.ResourceHooksBinding.deserializeBinary(hooks.serializeBinary()));
  request.getProvidersMap().forEach((reference, name) => {
    component.getProvidersMap().set(name, reference);
  });
  return component;
}

function timeoutsOf(request: ConstructRequest): RegisterResourceRequest.CustomTimeouts | undefined {
  const timeouts = request.getCustomtimeouts();
  return (
    timeouts &&
    new RegisterResourceRequest.CustomTimeouts()
      .setCreate(timeouts.getCreate())
      .setUpdate(timeouts.getUpdate())
      .setDelete(timeouts.getDelete())
  );
}

/** What a cluster was asked for, and the wait that was left out. */
function awaited({ args, cluster: { id, outputs } }: Member, isPreview: boolean): Properties {
  const given = inputNames.filter((name) => args[name] !== undefined && args[name] !== null);
  const shown = Object.fromEntries([...given, "name"].map((name) => [name, outputs[name]]));
  const { replicas, skipAwait } = args;
  const left = outputs["__unawaited"] ?? (isPreview ? UNKNOWN : undefined);
  // Of the number of replicas, only what the program says: a number that others change must not change the wait.
  return { ...shown, replicas, skipAwait, id: id || UNKNOWN, __unawaited: left };
}

function outputsOf(members: readonly Member[], isPreview: boolean): Properties {
  const missing = isPreview ? UNKNOWN : undefined;
  const byKey = (name: string): Properties =>
    Object.fromEntries(members.map(({ key, cluster }) => [key, cluster.outputs[name] ?? missing]));
  const costs = byKey("hourlyCost");
  const sum = sumOf(members.map(({ key }) => revealed(costs[key])));
  return { endpoints: byKey("endpoint"), hourlyCost: hasSecret(costs) ? asSecret(sum) : sum };
}

function sumOf(costs: readonly unknown[]): unknown {
  if (costs.includes(UNKNOWN)) return UNKNOWN;
  return sumOfCosts(costs.map((cost) => (typeof cost === "number" ? cost : undefined)));
}

function urnsOf(members: readonly Member[]): string[] {
  return members.map(({ cluster }) => cluster.urn);
}
