import { type Backend, BACKENDS, type BackendValues } from "@/lib/dashboard/embed/backends.ts";

/** What a backend sends to the browser. */
export interface BackendAnswer {
  status: number;
  body: string;
}

/** How one language calls the backend's function: it prints the status, then the body. */
interface Harness {
  program: string;
  /** Appended to the backend's file. */
  caller?: string;
  /** A second file, `caller.*`. */
  file?: { name: string; text: string };
  args: (backend: string, folder: string) => string[];
}

const HARNESSES: Record<string, Harness> = {
  node: {
    program: "node",
    args: (backend) => [backend],
    caller: `
let status;
await chatSession({ headers: process.env.ORIGIN ? { origin: process.env.ORIGIN } : {} }, {
  writeHead: (code) => status = code,
  end: (body) => console.log(status + "\\n" + body),
});`,
  },
  deno: {
    program: "deno",
    args: (backend) => ["run", "--no-config", "--allow-net", "--allow-env", backend],
    caller: `
const origin = Deno.env.get("ORIGIN");
const sent = new Request("http://site/", { method: "POST", headers: origin ? { origin } : {} });
const answer = await chatSession(sent);
console.log(answer.status + "\\n" + await answer.text());`,
  },
  python: {
    program: "python3",
    args: (backend) => [backend],
    caller: `
status, body = chat_session(os.environ.get("ORIGIN"))
print(status, body.decode(), sep="\\n")`,
  },
  php: {
    program: "php",
    args: (backend, folder) => ["-d", `auto_prepend_file=${folder}/caller.php`, backend],
    file: {
      name: "caller.php",
      text: `<?php
if (getenv('ORIGIN')) $_SERVER['HTTP_ORIGIN'] = getenv('ORIGIN');
ob_start(fn ($body) => http_response_code() . "\\n" . $body);`,
    },
  },
  ruby: {
    program: "ruby",
    args: (backend) => [backend],
    caller: `
puts chat_session(ENV["ORIGIN"])`,
  },
  go: {
    program: "go",
    args: (backend, folder) => ["run", backend, `${folder}/caller.go`],
    file: {
      name: "caller.go",
      text: `package main

import (
	"fmt"
	"net/http/httptest"
	"os"
)

func main() {
	request := httptest.NewRequest("POST", "/chat-session", nil)
	if origin := os.Getenv("ORIGIN"); origin != "" {
		request.Header.Set("Origin", origin)
	}
	answer := httptest.NewRecorder()
	ChatSession(answer, request)
	fmt.Printf("%d\\n%s", answer.Code, answer.Body)
}
`,
    },
  },
};

/** Backends that are functions, with the program that runs each. */
export const BACKEND_FUNCTIONS = BACKENDS.filter(({ isPlugin }) => !isPlugin)
  .map((backend) => ({ backend, program: HARNESSES[backend.id]!.program }));

/** Runs a backend's code once, for a browser's request with this `Origin`. */
export async function runBackend(
  { id, file, code }: Backend,
  { values, apiKey, origin }: { values: BackendValues; apiKey: string; origin?: string },
): Promise<BackendAnswer> {
  const { program, caller = "", file: second, args } = HARNESSES[id]!;
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/${file}`, code(values) + caller);
    if (second !== undefined) await Deno.writeTextFile(`${folder}/${second.name}`, second.text);
    const { stdout, stderr } = await new Deno.Command(
      program === "deno" ? Deno.execPath() : program,
      {
        args: args(`${folder}/${file}`, folder),
        env: { CHAT_API_KEY: apiKey, ...origin !== undefined && { ORIGIN: origin } },
      },
    ).output();
    const printed = new TextDecoder().decode(stdout);
    const [, status, body] = /^(\d{3})\n([^]*)$/.exec(printed) ?? [];
    if (status === undefined) throw new Error(printed + new TextDecoder().decode(stderr));
    return { status: Number(status), body: body! };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The functions of WordPress that the plugin calls, as small as they can be. */
const WORDPRESS = `<?php
define('ABSPATH', '/');
define('CHAT_API_KEY', getenv('CHAT_API_KEY'));
$actions = [];
function add_action($name, $run) { global $actions; $actions[$name] = $run; }
function register_rest_route($space, $route, $options) { global $routes; $routes[$space . $route] = $options; }
function home_url() { return getenv('HOME_URL'); }
function rest_url($route) { return home_url() . '/wp-json/' . $route; }
function esc_url($url) { return htmlspecialchars($url); }
function wp_parse_url($url) { return parse_url($url); }
function wp_json_encode($value) { return json_encode($value); }
function is_wp_error($value) { return $value === null; }
function wp_remote_retrieve_body($answer) { return $answer['body']; }
function wp_remote_retrieve_response_code($answer) { return $answer['status']; }
function wp_remote_post($url, $options) {
    $headers = [];
    foreach ($options['headers'] as $name => $value) $headers[] = "$name: $value";
    $call = curl_init($url);
    curl_setopt_array($call, [CURLOPT_RETURNTRANSFER => true, CURLOPT_HTTPHEADER => $headers,
        CURLOPT_POSTFIELDS => $options['body']]);
    $body = curl_exec($call);
    return $body === false ? null : ['body' => $body, 'status' => curl_getinfo($call, CURLINFO_RESPONSE_CODE)];
}
class WP_REST_Response { function __construct(public $data, public $status) {} }
class Request { function get_header($name) { return getenv(strtoupper($name)) ?: null; } }
require $argv[1];
$actions['rest_api_init']();
$answer = $routes['agent-chat/v1/session']['callback'](new Request());
echo $answer->status, "\\n", json_encode($answer->data), "\\n";
$actions['wp_footer']();
`;

/** Runs the WordPress plugin: one call of its route, and the footer of a page. */
export async function runPlugin(
  { code }: Backend,
  { values, apiKey, home, origin = "" }: {
    values: BackendValues;
    apiKey: string;
    home: string;
    origin?: string;
  },
): Promise<BackendAnswer & { footer: string }> {
  const folder = await Deno.makeTempDir();
  try {
    const [plugin, wordpress] = [`${folder}/plugin.php`, `${folder}/wordpress.php`];
    await Deno.writeTextFile(plugin, code(values));
    await Deno.writeTextFile(wordpress, WORDPRESS);
    const { stdout } = await new Deno.Command("php", {
      args: [wordpress, plugin],
      env: { CHAT_API_KEY: apiKey, HOME_URL: home, ORIGIN: origin },
    }).output();
    const printed = new TextDecoder().decode(stdout);
    const [, status, body, footer] = /^(\d{3})\n(.*)\n([^]*)$/.exec(printed) ?? [];
    if (status === undefined) throw new Error(printed);
    return { status: Number(status), body: body!, footer: footer! };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
