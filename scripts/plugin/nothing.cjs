// Stands for a module that the plugin loads and never uses.
exports.setup = () => undefined;
