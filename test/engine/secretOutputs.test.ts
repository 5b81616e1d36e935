import { closeFixtures, type Fixture, openEndpoint, openFixture } from "./harness";

const program = `
const native = require("pulumi-gpucluster/native");
const args = { gpuType: "h100", container: "acme/model:1", replicas: config.getNumber("replicas") };
const options = config.getBoolean("open") ? {} : { additionalSecretOutputs: ["endpoint", "createdAt", "hourlyCost"] };
new gpu.Cluster("web", args, options);
new native.Cluster("api", args, options);
`;

const up = ["up", "--yes", "--skip-preview", "--diff"];
let fixture: Fixture;
const outputs: string[] = [];

beforeAll(async () => {
  fixture = await openFixture(program);
  await pulumi(...up, "--config", "engine-test:open=true");
  await fixture.workspace.succeed("config", "rm", "open");
});
afterAll(closeFixtures);

async function pulumi(...args: string[]): Promise<void> {
  const { code, output } = await fixture.workspace.pulumi(...args);
  outputs.push(output);
  expect(code).toBe(0);
}

/** Values marked as secrets that are somewhere in plain text, each with the text around it. */
function leaks(text: string): string[] {
  const clusters = fixture.simulator.clusters();
  expect(clusters).toHaveLength(2);
  const secrets = clusters.flatMap(({ endpoint, createdAt }) => [endpoint, createdAt]);
  const costs = text.match(/"?hourlyCost"? *: *\d.*|it cost \d.*/g) ?? [];
  return [...text.split("\n").filter((line) => secrets.some((secret) => line.includes(secret))), ...costs];
}

describe("the outputs that `additionalSecretOutputs` marks as secret", () => {
  const steps: [string, string[]][] = [
    ["the option was added, and nothing else", up],
    ["a preview of a change", ["preview", "--diff", "--config", "engine-test:replicas=2"]],
    ["the change", up],
    ["a refresh", ["refresh", "--yes", "--skip-preview", "--diff"]],
    ["the destruction of both", ["destroy", "--yes", "--skip-preview", "--diff"]],
  ];

  it.each(steps)("are nowhere in plain text: %s", async (_step, args) => {
    await pulumi(...args);
    expect(leaks(outputs.at(-1) ?? "")).toEqual([]);
    expect(leaks(fixture.workspace.stateText())).toEqual([]);
  });
});

const inputs = {
  env: { MODE: "fast", HF_TOKEN: "abc" },
  extraFields: { tier: "secure", container_command: ["--api-key abc", "--port 80"] },
  readinessProbe: { path: "/health", headers: { Authorization: "Bearer abc" } },
};

/**
 * The inputs are secret as a whole, in part, as outputs, and by a transform of a parent, which adds two of them. As JSON,
 * because the engine would read the form of a secret in an output as a secret.
 */
const reader = `
const native = require("pulumi-gpucluster/native");
const { secret } = pulumi;
const { env, extraFields, readinessProbe } = ${JSON.stringify(inputs)};
const whole = { env: secret(env), extraFields: secret(extraFields), readinessProbe: secret(readinessProbe) };
const part = {
  env: { ...env, MODE: secret("fast") },
  extraFields: { ...extraFields, tier: secret("secure") },
  readinessProbe: { ...readinessProbe, path: secret("/health") },
};
const change = ({ custom, props, opts }) => custom ? { props: { ...props, ...whole }, opts } : undefined;
const parent = new pulumi.ComponentResource("test:index:Parent", "parent", {}, { transforms: [change] });
const cases = {
  whole: [whole],
  part: [part],
  plain: [{ env, extraFields, readinessProbe }, { additionalSecretOutputs: ["env", "extraFields"] }],
  child: [{ env }, { parent }],
};
const clusters = Object.entries({ web: gpu, api: native }).flatMap(([prefix, { Cluster }]) =>
  Object.entries(cases).map(([name, [args, options]]) =>
    new Cluster(prefix + name, { gpuType: "h100", container: "acme/model:1", ...args }, options)));
const read = clusters.map(({ env, extraFields, readinessProbe }) => ({ env, extraFields, readinessProbe }));
exports.read = pulumi.jsonStringify(read);
`;

describe("the inputs that are secret", () => {
  it("are plain values where the program reads them", async () => {
    const endpoint = await openEndpoint();
    const { workspace } = await openFixture(reader, { endpoint: endpoint.url });
    expect(await workspace.up()).toMatchObject({ code: 0 });
    const read = await workspace.succeed("stack", "output", "read", "--show-secrets");
    expect(JSON.parse(read)).toEqual(Array(8).fill(inputs));
  });
});
