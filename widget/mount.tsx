/** Draws the widget into a shadow root of its own, where the page's styles cannot reach. */
import { render } from "preact";
import { App, type AppProps } from "./components/App.tsx";
import { textOn, type WidgetConfig } from "./config.ts";
import { followViewport } from "./follow_viewport.ts";

/** The style sheet, put in by the bundler. */
declare const WIDGET_CSS: string;

export interface MountOptions extends AppProps {
  readonly config: WidgetConfig;
}

/** Returns the function that takes everything off the page again. */
export function mount(options: MountOptions): () => void {
  const host = document.createElement("service-widget");
  dress(host, options.config);
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [styleSheet()];
  document.body.append(host);
  render(<App {...options} />, root);
  const unfollow = followViewport(host);
  return () => {
    unfollow();
    render(null, root);
    host.remove();
  };
}

/** A constructed sheet needs no `style-src 'unsafe-inline'` from the page's security policy. */
function styleSheet(): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(WIDGET_CSS);
  return sheet;
}

function dress(host: HTMLElement, { theme, side, accent }: WidgetConfig): void {
  host.dataset.theme = theme;
  host.dataset.side = side;
  if (!accent) return;
  host.style.setProperty("--service-widget-accent", accent);
  host.style.setProperty("--service-widget-on-accent", textOn(accent));
}
