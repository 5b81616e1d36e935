import { type Client, createClient } from "../../provider/api/client";
import { createTransport } from "../../provider/api/http/transport";
import { Secret } from "../../provider/base/text";
import { type RecordedRequest, type Simulator, type SimulatorOptions, startSimulator } from "../../simulator";
import { VirtualClock } from "../support/virtualClock";

const running: Simulator[] = [];

/** The real client in front of a simulator. */
export interface Contract {
  readonly simulator: Simulator;
  readonly client: Client;
  readonly clock: VirtualClock;
  /** The last request that arrived. */
  last(): RecordedRequest | undefined;
}

/** Starts a simulator and a client for it; both live in the same virtual time. */
export async function contract(options: SimulatorOptions & { key?: string } = {}): Promise<Contract> {
  const { key, ...simulatorOptions } = options;
  const clock = new VirtualClock(Date.now());
  const simulator = await startSimulator({ clock, provisioningMs: 1_000, ...simulatorOptions });
  running.push(simulator);
  const send = createTransport({
    baseUrl: simulator.url,
    apiKey: new Secret(key ?? simulator.apiKey),
    userAgent: "contract/1",
    clock,
    random: () => 0.5,
  });
  const client = createClient((request) => clock.run(send(request)));
  return { simulator, client, clock, last: () => simulator.requests.at(-1) };
}

afterEach(() => Promise.all(running.splice(0).map((simulator) => simulator.close())));

/** The body of a creation. */
export const web = {
  name: "web",
  gpuType: "h100",
  replicas: 2,
  container: "example/server:1.0",
  env: { HTTP_PROXY: "http://p", fooBar: "1" },
};
