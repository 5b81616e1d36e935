import { closeFixtures } from "./harness";
import { Templates } from "./templates";

// With an empty cache, npm downloads a registry and Pulumi's SDK.
jest.setTimeout(10 * 60_000);

const templates = new Templates();
beforeAll(() => templates.start());
afterAll(async () => {
  await closeFixtures();
  templates.remove();
});

test.each(["typescript", "yaml"])("a template makes a project whose cluster gets healthy: %s", async (name) => {
  const project = await templates.open(name);
  await project.expectLife();
});

test("the template for TypeScript takes the package from a file, as long as it is not published", async () => {
  const project = await templates.openUnpublished();
  await project.expectLife();
});
