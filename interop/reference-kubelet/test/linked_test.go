package test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var (
	sourcePath = flag.String("source", "", "the directory of the module k8s.io/kubernetes")
	buildTag   = flag.String("tag", "", "the build tag of its minor")
)

// linkname is what the compiler takes on trust: a function without a body, declared here, defined there.
type linkname struct {
	declared string // its parameters and results here
	pkg      string // where it is defined
	name     string
}

func TestWhatIsLinkedIsDeclaredAsItIsDefined(t *testing.T) {
	if *sourcePath == "" || *buildTag == "" {
		t.Fatal("needed are -source and -tag")
	}
	links := linknames(t, "..")
	if len(links) != 3 {
		t.Errorf("%d functions are linked; known are 3", len(links))
	}
	for _, of := range links {
		dir := filepath.Join(*sourcePath, strings.TrimPrefix(of.pkg, "k8s.io/kubernetes/"))
		if defined := definition(t, dir, of.name); defined != of.declared {
			t.Errorf("%s.%s is declared as %s and defined as %s", of.pkg, of.name, of.declared, defined)
		}
	}
}

// files that this minor's build takes.
func files(t *testing.T, dir string) []*ast.File {
	t.Helper()
	context := build.Default
	context.BuildTags = []string{*buildTag}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		taken, err := context.MatchFile(dir, filepath.Base(name))
		if err != nil {
			t.Fatal(err)
		}
		if !taken || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

func functions(file *ast.File) map[string]*ast.FuncDecl {
	functions := map[string]*ast.FuncDecl{}
	for _, declaration := range file.Decls {
		if function, is := declaration.(*ast.FuncDecl); is && function.Recv == nil {
			functions[function.Name.Name] = function
		}
	}
	return functions
}

func linknames(t *testing.T, dir string) []linkname {
	t.Helper()
	var links []linkname
	for _, file := range files(t, dir) {
		declared := functions(file)
		for _, group := range file.Comments {
			for _, comment := range group.List {
				words := strings.Fields(comment.Text)
				if len(words) != 3 || words[0] != "//go:linkname" {
					continue
				}
				at := strings.LastIndex(words[2], ".")
				links = append(links, linkname{shape(file, declared[words[1]].Type), words[2][:at], words[2][at+1:]})
			}
		}
	}
	return links
}

func definition(t *testing.T, dir, name string) string {
	t.Helper()
	for _, file := range files(t, dir) {
		if function := functions(file)[name]; function != nil {
			return shape(file, function.Type)
		}
	}
	return "nothing in " + dir
}

// shape is a function's parameters and results, one type each, without names and with the import paths of their packages.
func shape(file *ast.File, function *ast.FuncType) string {
	list := func(fields *ast.FieldList) string {
		if fields == nil {
			return "()"
		}
		var types []string
		for _, field := range fields.List {
			for range max(1, len(field.Names)) {
				types = append(types, typeName(file, field.Type))
			}
		}
		return "(" + strings.Join(types, ", ") + ")"
	}
	return list(function.Params) + " " + list(function.Results)
}

func typeName(file *ast.File, of ast.Expr) string {
	switch of := of.(type) {
	case *ast.Ident:
		if ast.IsExported(of.Name) { // of the file's own package, which the other file imports
			return file.Name.Name + "." + of.Name
		}
		return of.Name
	case *ast.StarExpr:
		return "*" + typeName(file, of.X)
	case *ast.ArrayType:
		return "[]" + typeName(file, of.Elt)
	case *ast.SelectorExpr:
		return packageName(file, of.X.(*ast.Ident).Name) + "." + of.Sel.Name
	default:
		return fmt.Sprintf("%T", of)
	}
}

// packageName is the last part of the import path, since a file's own package has no more.
func packageName(file *ast.File, alias string) string {
	for _, imported := range file.Imports {
		at, err := strconv.Unquote(imported.Path.Value)
		if err != nil {
			continue
		}
		if (imported.Name != nil && imported.Name.Name == alias) || (imported.Name == nil && path.Base(at) == alias) {
			return path.Base(at)
		}
		if version := path.Base(at); imported.Name == nil && len(version) == 2 && version[0] == 'v' && path.Base(path.Dir(at)) == alias {
			return alias // k8s.io/klog/v2
		}
	}
	return "unknown " + alias
}
