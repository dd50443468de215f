import type { FileArtefact } from "../artefact.ts";
import { languageOf } from "../inventory/language.ts";

/** Text for readers, where code is an example, stubs that generators fill, and what debuggers are told of code that is there as well. */
export const isDocumentation = (path: string): boolean =>
  /(^|\/)(readme|install|changelog|changes|news|faq|hacking|todo)(-\w+)?$|\.(md|mdx|rst|rdoc|adoc|txt|example|sample|dist|stub)$|\.(c|m)?js\.map$|\.css\.map$|[-_.](example|sample)\.\w+$|(^|\/)[\w-]+\.[1-8]$|(^|\/)docs?\//i.test(
    path,
  );

/** Settings that only a developer's own machine sees: `application-dev.yml`, `docker-compose.dev.yml`, debug builds of Android. */
export const isForDevelopment = (path: string): boolean =>
  /(^|\/)(src\/(debug\w*|androidTest|test)|\.?devcontainer|\.gitpod)\/|[-._](dev|devel|development|local|test|testing|debug)\.(ya?ml|properties|json|xml|conf|ini|tfvars|env|dockerfile)$|(^|\/)(\.env|dockerfile)[-.](dev|devel|development|local|test|testing|debug|example|sample|template|dist)$|(^|\/)\.gitpod\./i.test(
    path,
  );

/**
 * Whether nobody asks how well the code is written: tests are lists of cases, migrations run once, and what others have written stays as
 * they wrote it.
 */
export const isBeyondQuality = (path: string): boolean =>
  /(^|\/)(tests?|__tests__|specs?|e2e|fixtures?|testdata|mocks?|__mocks__|migrations?|src\/(test|androidTest)|vendors?|(third|3rd)[-_]?party|bower_components|node_modules|dist|built)\//i.test(
    path,
  ) ||
  isTestFile(path) ||
  isLibraryFile(path);

/** Libraries of browsers that are copied beside the code, by the names that they are published under, and what bundlers and designers make. */
const isLibraryFile = (path: string): boolean =>
  /(^|\/)(jquery[-.\w]*|(bootstrap|angular|backbone|underscore|lodash|prototype|scriptaculous|mootools|dojo|modernizr|html5shiv|require|handlebars|mustache|knockout|raphael|highcharts|leaflet|d3|moment|select2|datatables|codemirror|tinymce|ckeditor|popper|vue|react|react-dom)([-.](v?\d[\w.]*|all|bundle|core|custom|dev|development|esm|full|global|prod|production|runtime|slim|ui|umd))*)\.[cm]?js$|[-.](min|bundle|chunk)\.[cm]?js$|(^|\/)chunk[-.][\w.-]+\.js$|\.(designer|g)\.cs$/i.test(
    path,
  );

/** What files of tests are called, by language. */
const testFiles = [
  /(^|\/)(test_[^/]*|[^/]*_(tests?|testing|test_?(utils?|helpers?|case|base))|tests|pytest_\w+|conftest)\.py$/,
  /(^|\/)(test|fuzz)_[^/]*\.(c|cc|cpp|cxx|h|hh|hpp)$|_(tests?|unittests?|fuzzer)\.(c|cc|cpp|cxx)$/,
  /^(?!(.*\/)?(routes?|routers?|controllers?|api|pages|handlers|functions|public|views)\/)(.*\/)?(test|spec)\.[cm]?[jt]sx?$/,
  /\.(test|spec)\.[cm]?[jt]sx?$/,
  /(^|\/)[^/]*Tests?\.(java|kt|php|cs)$/,
  /(^|\/)(run[-_])?tests?([-_][^/]*)?\.sh$|[-_]tests?\.sh$/,
  // Keys that say themselves that they are none to be kept.
  /(^|\/)([^/]*[-_.+])?(localhost|snakeoil|insecure|unsecure|dummy|fake|test|example)([-_.+][^/]*)?\.(key|pem|crt|gpg|jks)$/i,
  /_(test\.go|(test|spec)\.rb)$|(^|\/)config\/environments\/(test|development)\.rb$/,
  // Settings of Django, one file for each place where it runs.
  /(^|\/)((settings|config)\/(tests?|testing|ci|dev|devel|development)|(tests?|testing|ci|dev|devel|development)_settings|settings_(tests?|testing|ci|dev|devel|development))\.py$/,
  /(^|\/)(?!(la|con|at|pro|speed)test\/)[a-z]+test\/[^/]*\.(go|key|pem|crt)$/,
];

const isTestFile = (path: string): boolean => testFiles.some((name) => name.test(path));

/**
 * Whether a path holds tests, examples or the like. Only the path is asked, so it is applied when linking. Below `src/main` stands what is
 * delivered, and a folder there is a part of a package's name: `org/example/samples/shop`. So it is in older layouts, `src/com/test/shop`,
 * where the folder below `src` alone may say what it is for. `demo` is also what generators of projects call one that was given no name. Maven keeps
 * whole projects to be tested with in `src/it`.
 * @param home see `homeOfCode`
 */
export function inTestCode(path: string, home: string): boolean {
  const folders = path.replace(/(^|\/)(demo\/)?src\/main\/.*$/, "$1").replace(/((^|\/)src\/\w+\/).*\.(java|kt)$/, "$1");
  return (
    /^t\/|(^|\/)t\/(lib-[\w-]+\/)?[^/]*\.(t|sh|gpg|pem|key)$|(^|\/)(\.?tests?|((unit|int|integration|functional|acceptance|reg|regression|system|smoke|load|perf|api|ui)[-_]?)tests?|test[-_]?(utils?|helpers?|data|suite|support|servers?|cases?|certs?|keys?|curl)|[\w-]+-test-(env|environment|utils?|helpers?|data|suite|support)|testing|test_\w+|\w+_tests?|__tests__|specs?|e2e|examples?|samples?|demos?|fixtures?|testdata|mocks?|__mocks__|(micro)?benchmarks?|microbench|fuzz(ing|ers?)?|src\/it)\//i.test(
      path.startsWith(home) ? folders.slice(home.length) : folders,
    ) || isTestFile(path)
  );
}

/** The folder that all code of a project lies in, with its slash: a project that lies in `examples/` is not an example of another one. */
export function homeOfCode(artefacts: readonly FileArtefact[]): string {
  const paths = artefacts.map(({ coverage }) => coverage.path).filter((path) => languageOf(path).grammar !== null);
  let [home = ""] = paths;
  do home = home.slice(0, home.lastIndexOf("/", home.length - 2) + 1);
  while (!paths.every((path) => path.startsWith(home)));
  return home;
}
