package main

import (
	_ "embed"
	"net/http"
	"net/http/httptest"

	"github.com/pulumi/pulumi/pkg/v3/codegen/dotnet"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// The generator of C#, which later releases of Pulumi no longer contain: it has moved to its own repository.
var generators = map[string]generator{
	"csharp": func(pkg *schema.Package) (map[string][]byte, error) {
		server := httptest.NewServer(http.HandlerFunc(serveLogo))
		defer server.Close()
		pkg.LogoURL = server.URL
		return dotnet.GeneratePackage(tool, pkg, nil, nil)
	},
}

// logo is docs/logo.png, which scripts/sdks.mjs copies.
//
//go:embed logo.png
var logo []byte

// serveLogo stands for the address of the logo, because a generator must not need the internet.
func serveLogo(response http.ResponseWriter, _ *http.Request) {
	_, _ = response.Write(logo)
}
