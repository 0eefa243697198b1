// Commands to the server, and questions that are answered once.

const STOP_MS = 1000;

/** A request that was refused; its message is the server's sentence. */
export class RefusedError extends Error {
  constructor(status, code, text) {
    super(text);
    this.status = status;
    this.code = code;
  }
}

/** Posts a command; returns the server's answer, or throws a RefusedError. */
export async function post(verb, body, timeout_ms = 5000) {
  let answer;
  try {
    answer = await fetch(`/api/${verb}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Fleet": "1" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeout_ms),
    });
  } catch {
    throw new RefusedError(0, "unreachable", "The dashboard's server does not answer.");
  }
  const content = await answer.json().catch(() => ({}));
  if (answer.ok) return content;
  throw new RefusedError(answer.status, content.error?.code ?? "", content.error?.text ?? answer.statusText);
}

/** Posts STOP; the WebSocket carries it, too. */
export function postStop() {
  return post("stop", {}, STOP_MS);
}

/** Fetches JSON, or throws a RefusedError. */
export async function fetchJson(address) {
  const answer = await fetch(address);
  const content = await answer.json().catch(() => ({}));
  if (answer.ok) return content;
  throw new RefusedError(answer.status, content.error?.code ?? "", content.error?.text ?? answer.statusText);
}

/** Fetches the frames of a part of the last 30 minutes. */
export async function fetchHistory(from_s, to_s, step_s) {
  const answer = await fetch(`/api/history?from_s=${from_s.toFixed(2)}&to_s=${to_s.toFixed(2)}&step_s=${step_s}`);
  if (!answer.ok) throw new RefusedError(answer.status, "", answer.statusText);
  return answer.arrayBuffer();
}
