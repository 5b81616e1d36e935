// Command convert writes a YAML program in other languages, as `pulumi convert` does: convert SCHEMA VERSION PROGRAM FOLDER.
// The folder receives a file for each language, named after it.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/blang/semver"
	"github.com/hashicorp/hcl/v2"
	"github.com/pulumi/pulumi-yaml/pkg/pulumiyaml"
	"github.com/pulumi/pulumi-yaml/pkg/pulumiyaml/codegen"
	"github.com/pulumi/pulumi/pkg/v3/codegen/dotnet"
	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// The generators make the files of a program, by their names.
var generators = map[string]func(*pcl.Program) (map[string][]byte, hcl.Diagnostics, error){
	"typescript": nodejs.GenerateProgram,
	"python":     python.GenerateProgram,
	"go":         gogen.GenerateProgram,
	"csharp":     dotnet.GenerateProgram,
}

// An only loader knows one package.
type only struct{ pkg *schema.Package }

func (l only) LoadPackage(string, *semver.Version) (*schema.Package, error) { return l.pkg, nil }

func (l only) LoadPackageV2(context.Context, *schema.PackageDescriptor) (*schema.Package, error) {
	return l.pkg, nil
}

func (l only) LoadPackageReference(string, *semver.Version) (schema.PackageReference, error) {
	return l.pkg.Reference(), nil
}

func (l only) LoadPackageReferenceV2(context.Context, *schema.PackageDescriptor) (schema.PackageReference, error) {
	return l.pkg.Reference(), nil
}

func main() {
	if len(os.Args) != 5 {
		fail(fmt.Errorf("usage: convert SCHEMA VERSION PROGRAM FOLDER"))
	}
	spec, err := readSpec(os.Args[1], os.Args[2])
	if err != nil {
		fail(err)
	}
	pkg, err := schema.ImportSpec(spec, nil, schema.ValidationOptions{})
	if err != nil {
		fail(err)
	}
	if err := convert(os.Args[3], only{pkg}, os.Args[4]); err != nil {
		fail(err)
	}
}

func convert(source string, loader schema.ReferenceLoader, folder string) error {
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	code, err := toIntermediate(text, loader)
	if err != nil {
		return err
	}
	for language := range generators {
		content, err := write(code, loader, language)
		if err != nil {
			return fmt.Errorf("the program in %s: %w", language, err)
		}
		if err := os.WriteFile(filepath.Join(folder, language), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// toIntermediate translates a YAML program into Pulumi's intermediate language.
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

// write binds the program again for each generator, because a generator changes it.
func write(code string, loader schema.ReferenceLoader, language string) ([]byte, error) {
	parser := syntax.NewParser()
	if err := parser.ParseFile(strings.NewReader(code), "program.pp"); err != nil {
		return nil, err
	}
	program, diagnostics, err := pcl.BindProgram(parser.Files, pcl.Loader(loader))
	if err != nil {
		return nil, err
	}
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	files, diagnostics, err := generators[language](program)
	if err != nil {
		return nil, err
	}
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("%d files instead of one", len(files))
	}
	for _, content := range files {
		return content, nil
	}
	return nil, nil
}
