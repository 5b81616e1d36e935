// Replaces a module that the plugin loads but never uses.
exports.setup = () => undefined;
