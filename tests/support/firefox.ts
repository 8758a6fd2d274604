/** A stock Firefox, controlled by WebDriver BiDi: https://w3c.github.io/webdriver-bidi/ */

const INSTALLED = ["/usr/bin/firefox-esr", "/usr/bin/firefox"];
/** Focus without a window manager, and no requests to outside services. */
const PREFERENCES = {
  "focusmanager.testmode": true,
  "app.update.disabledForTesting": true,
  "browser.shell.checkDefaultBrowser": false,
  "browser.startup.page": 0,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,",
  "toolkit.telemetry.enabled": false,
};

const START_TIMEOUT_MS = 30_000;
/** Only limits how long a broken test hangs. */
const COMMAND_TIMEOUT_MS = 20_000;

/** The Firefox in FIREFOX or an installed one, if any. */
export function findFirefox(): string | undefined {
  const paths = [Deno.env.get("FIREFOX"), ...INSTALLED];
  return paths.find((path) => {
    try {
      return path !== undefined && Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });
}

/** One page of a Firefox. */
export interface FirefoxPage {
  goto(url: string): Promise<void>;
  /** The JSON value of an expression or of its promise. */
  evaluate(expression: string): Promise<unknown>;
  /** Waits until the expression is true; checks on each animation frame. */
  until(expression: string): Promise<void>;
  /** Presses keys one by one; "\uE004" is Tab and so on. */
  press(keys: string): Promise<void>;
}

/** Starts Firefox with a fresh profile, and ends it however `use` ends. */
export async function withFirefox(
  path: string,
  use: (page: FirefoxPage) => Promise<void>,
): Promise<void> {
  const profile = await Deno.makeTempDir();
  const lines = Object.entries(PREFERENCES).map(([name, value]) =>
    `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`
  );
  await Deno.writeTextFile(`${profile}/user.js`, lines.join(""));
  const firefox = new Deno.Command(path, {
    args: ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"],
    env: { HOME: profile },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const errors = firefox.stderr.pipeThrough(new TextDecoderStream()).getReader();
  try {
    using bidi = await Bidi.connect(await addressIn(errors));
    await use(await openPage(bidi));
  } finally {
    firefox.kill();
    await firefox.status;
    await errors.cancel();
    await Deno.remove(profile, { recursive: true }).catch(() => {});
  }
}

async function addressIn(errors: ReadableStreamDefaultReader<string>): Promise<string> {
  let output = "";
  const late = setTimeout(() => errors.cancel(), START_TIMEOUT_MS);
  try {
    for (;;) {
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(output)?.[1];
      if (found) return `${found}/session`;
      const { value, done } = await errors.read();
      if (done) throw new Error(`Firefox did not start: ${output}`);
      output += value;
    }
  } finally {
    clearTimeout(late);
  }
}

async function openPage(bidi: Bidi): Promise<FirefoxPage> {
  await bidi.send("session.new", { capabilities: {} });
  // Open a new window: keys do not reach buttons in the window that Firefox starts with.
  const { context } = await bidi.send("browsingContext.create", { type: "window" });
  const evaluate = async (expression: string) => {
    const answer = await bidi.send("script.evaluate", {
      expression: `(async () => JSON.stringify(await (${expression})))()`,
      target: { context },
      awaitPromise: true,
    });
    if (answer.type === "exception") throw new Error(answer.exceptionDetails.text);
    return answer.result.value === undefined ? undefined : JSON.parse(answer.result.value);
  };
  return {
    evaluate,
    goto: (url) => bidi.send("browsingContext.navigate", { context, url, wait: "complete" }),
    until: async (expression) => {
      const look = `const look = () => (${expression}) ? done(true) : requestAnimationFrame(look)`;
      await evaluate(`new Promise((done) => { ${look}; look(); })`);
    },
    press: (keys) => {
      const actions = [...keys].flatMap((value) => [
        { type: "keyDown", value },
        { type: "keyUp", value },
      ]);
      const source = { type: "key", id: "keyboard", actions };
      return bidi.send("input.performActions", { context, actions: [source] });
    },
  };
}

/** Commands and their results over one socket. */
class Bidi implements Disposable {
  #socket: WebSocket;
  #id = 0;
  // deno-lint-ignore no-explicit-any -- what the browser answers, whatever it is
  #waiting = new Map<number, PromiseWithResolvers<any>>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
    socket.onclose = () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("Firefox has gone"));
    };
  }

  static async connect(url: string): Promise<Bidi> {
    const socket = new WebSocket(url);
    const opened = Promise.withResolvers<void>();
    socket.onopen = () => opened.resolve();
    socket.onerror = () => opened.reject(new Error("Firefox takes no connection"));
    await opened.promise;
    return new Bidi(socket);
  }

  // deno-lint-ignore no-explicit-any -- as above
  send(method: string, params: Record<string, unknown>): Promise<any> {
    const id = ++this.#id;
    // deno-lint-ignore no-explicit-any -- as above
    const answer = Promise.withResolvers<any>();
    this.#waiting.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params }));
    const late = setTimeout(
      () => answer.reject(new Error(`takes too long: ${JSON.stringify(params)}`)),
      COMMAND_TIMEOUT_MS,
    );
    return answer.promise.finally(() => clearTimeout(late));
  }

  #take(
    { id, type, result, error, message }: {
      id: number;
      type: string;
      result: unknown;
      error: string;
      message: string;
    },
  ): void {
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (type === "error") answer?.reject(new Error(`${error}: ${message}`));
    else answer?.resolve(result);
  }

  [Symbol.dispose](): void {
    this.#socket.onclose = null;
    this.#socket.close();
  }
}
