package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// readSpec reads a schema file, which has no version, and sets the version.
func readSpec(file, version string) (schema.PackageSpec, error) {
	var spec schema.PackageSpec
	text, err := os.ReadFile(file)
	if err != nil {
		return spec, err
	}
	err = json.Unmarshal(text, &spec)
	spec.Version = version
	return spec, err
}
