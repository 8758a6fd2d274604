import { failureMessage, needsToken } from "../failure.ts";
import { RETRY } from "../string_ids.ts";
import type { Ui } from "../ui.ts";

export interface NoticeProps {
  readonly ui: Ui;
  readonly onRetry: () => void;
}

/** Explains a failure, with a retry button as soon as retrying can succeed. */
export function Notice({ ui, onRetry }: NoticeProps) {
  const failure = ui.conversation.state.failure!;
  const now = Date.now();
  const canRetry = failure.retry !== "never" && !needsToken(failure) &&
    now >= (failure.retryAt ?? 0);
  return (
    <div class="notice">
      <p>{failureMessage(failure, ui.locale, now)}</p>
      {canRetry && (
        <button type="button" class="retry" onClick={onRetry}>{ui.locale.t(RETRY)}</button>
      )}
    </div>
  );
}
