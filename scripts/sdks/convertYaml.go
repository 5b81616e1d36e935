package main

import (
	"github.com/pulumi/pulumi-yaml/pkg/pulumiyaml"
	"github.com/pulumi/pulumi-yaml/pkg/pulumiyaml/codegen"
	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

var generators = map[string]generator{
	"typescript": nodejs.GenerateProgram,
	"python":     python.GenerateProgram,
	"go":         gogen.GenerateProgram,
}

func toIntermediate(text []byte, loader schema.ReferenceLoader) (string, error) {
	template, diagnostics, err := pulumiyaml.LoadYAMLBytes("Pulumi.yaml", text)
	if err != nil {
		return "", err
	}
	if diagnostics.HasErrors() {
		return "", diagnostics
	}
	code, problems, err := codegen.ConvertTemplateIL(template, loader)
	if err != nil {
		return "", err
	}
	if problems.HasErrors() {
		return "", problems
	}
	return code, nil
}
