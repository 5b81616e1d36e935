// A registry of npm: keeps our packages in a folder, and fetches all others. Sends its port to the process that has started it.
const { runServer } = require("verdaccio");

const [folder, upstream] = process.argv.slice(2);
const everybody = { access: "$all", publish: "$all" };
const config = {
  self_path: folder,
  configPath: folder,
  storage: folder,
  uplinks: { upstream: { url: upstream } },
  packages: { "pulumi-gpucluster*": everybody, "**": { access: "$all", proxy: "upstream" } },
  web: { enable: false },
};

process.once("disconnect", () => process.exit());
void runServer(config).then((server) => {
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
});
