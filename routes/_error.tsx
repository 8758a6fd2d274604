import { HttpError } from "fresh";
import { ErrorView } from "@/components/ErrorView.tsx";
import { define } from "@/utils.ts";

/** Every fault and every unknown address outside /v1; it tells the status, never the error's text. */
export default define.page(({ error }) => (
  <main class="auth">
    <ErrorView status={error instanceof HttpError ? error.status : 500} />
  </main>
));
