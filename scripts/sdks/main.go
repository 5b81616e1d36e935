// Command sdks uses Pulumi's generators: sdks SCHEMA VERSION LOGO FOLDER [PROGRAM]. It writes into the folder the SDKs of a package,
// each in a folder named after its language; or a program in YAML in each language, as `pulumi convert` does, in files.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

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

// tool is the name in the first line of each generated file.
const tool = "pulumi"

// A packageGenerator makes the files of an SDK, by their paths in it.
type packageGenerator func(pkg *schema.Package) (map[string][]byte, error)

var packageGenerators = map[string]packageGenerator{
	"nodejs": func(pkg *schema.Package) (map[string][]byte, error) {
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, only{pkg: pkg})
	},
	"python": func(pkg *schema.Package) (map[string][]byte, error) {
		return python.GeneratePackage(tool, pkg, nil, only{pkg: pkg})
	},
	"go": func(pkg *schema.Package) (map[string][]byte, error) {
		return gogen.GeneratePackage(tool, pkg, nil)
	},
	"csharp": func(pkg *schema.Package) (map[string][]byte, error) {
		return dotnet.GeneratePackage(tool, pkg, nil, nil)
	},
}

// A programGenerator makes the files of a program, by their names.
type programGenerator func(*pcl.Program) (map[string][]byte, hcl.Diagnostics, error)

var programGenerators = map[string]programGenerator{
	"typescript": nodejs.GenerateProgram,
	"python":     python.GenerateProgram,
	"go":         gogen.GenerateProgram,
	"csharp":     dotnet.GenerateProgram,
}

// An only loader knows one package; the generators use no other method.
type only struct {
	schema.ReferenceLoader
	pkg *schema.Package
}

func (l only) LoadPackageReferenceV2(context.Context, *schema.PackageDescriptor) (schema.PackageReference, error) {
	return l.pkg.Reference(), nil
}

func main() {
	if len(os.Args) < 5 {
		must(0, fmt.Errorf("usage: sdks SCHEMA VERSION LOGO FOLDER [PROGRAM]"))
	}
	var spec schema.PackageSpec
	must(0, json.Unmarshal(must(os.ReadFile(os.Args[1])), &spec))
	spec.Version = os.Args[2]
	// The generator for C# downloads the logo; it must not need the internet.
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(os.Args[3]))))
	defer server.Close()
	spec.LogoURL = server.URL + "/" + filepath.Base(os.Args[3])
	if len(os.Args) == 5 {
		writeSDKs(spec, os.Args[4])
	} else {
		convert(spec, os.Args[5], os.Args[4])
	}
}

// must ends the command with the error of a call, or is the call's value.
func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

// failure is the error of a call that may also report errors among its diagnostics.
func failure(diagnostics interface {
	error
	HasErrors() bool
}, err error) error {
	if err == nil && diagnostics.HasErrors() {
		return diagnostics
	}
	return err
}

// writeSDKs imports the schema again for each generator, because a generator changes the package.
func writeSDKs(spec schema.PackageSpec, folder string) {
	for language, generate := range packageGenerators {
		sdk := filepath.Join(folder, language)
		must(0, os.RemoveAll(sdk))
		files := must(generate(must(schema.ImportSpec(spec, nil, schema.ValidationOptions{}))))
		for path, content := range files {
			file := filepath.Join(sdk, filepath.FromSlash(path))
			must(0, os.MkdirAll(filepath.Dir(file), 0o755))
			must(0, os.WriteFile(file, content, 0o644))
		}
	}
}

// convert writes a program in each language, into a file named after the language.
func convert(spec schema.PackageSpec, program, folder string) {
	loader := only{pkg: must(schema.ImportSpec(spec, nil, schema.ValidationOptions{}))}
	template, diagnostics, err := pulumiyaml.LoadYAMLBytes("Pulumi.yaml", must(os.ReadFile(program)))
	must(0, failure(diagnostics, err))
	code, problems, err := codegen.ConvertTemplateIL(template, loader)
	must(0, failure(problems, err))
	for language, generate := range programGenerators {
		// Each generator makes one file of these programs, and changes the program, so it is bound again for the next one.
		for _, content := range convertTo(generate, code, loader) {
			must(0, os.WriteFile(filepath.Join(folder, language), content, 0o644))
		}
	}
}

func convertTo(generate programGenerator, code string, loader schema.ReferenceLoader) map[string][]byte {
	parser := syntax.NewParser()
	must(0, parser.ParseFile(strings.NewReader(code), "program.pp"))
	program, diagnostics, err := pcl.BindProgram(parser.Files, pcl.Loader(loader))
	must(0, failure(diagnostics, err))
	files, diagnostics, err := generate(program)
	must(0, failure(diagnostics, err))
	return files
}
