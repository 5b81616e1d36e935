// Command sdks writes the SDKs of a Pulumi package: sdks SCHEMA VERSION FOLDER. The second source file of the build decides
// the languages, because the generators are in different releases of Pulumi.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// tool is the name in the first line of each generated file.
const tool = "pulumi"

// A generator makes the files of an SDK, by their paths in it.
type generator func(pkg *schema.Package) (map[string][]byte, error)

func main() {
	if len(os.Args) != 4 {
		fail(fmt.Errorf("usage: sdks SCHEMA VERSION FOLDER"))
	}
	spec, err := readSpec(os.Args[1], os.Args[2])
	if err != nil {
		fail(err)
	}
	for language, generate := range generators {
		if err := writeSDK(spec, generate, filepath.Join(os.Args[3], language)); err != nil {
			fail(fmt.Errorf("the SDK for %s: %w", language, err))
		}
	}
}

// noLoader is the required loader of other schemas. This schema refers to none, so it is never called.
var noLoader schema.ReferenceLoader = struct{ schema.ReferenceLoader }{}

// writeSDK binds the schema again for each generator, because a generator changes the package.
func writeSDK(spec schema.PackageSpec, generate generator, folder string) error {
	pkg, diagnostics, err := schema.BindSpec(spec, noLoader, schema.ValidationOptions{})
	if err != nil {
		return err
	}
	if diagnostics.HasErrors() {
		return diagnostics
	}
	files, err := generate(pkg)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	for path, content := range files {
		file := filepath.Join(folder, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
