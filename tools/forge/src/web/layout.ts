import { html, type Html } from './html.js';

const style = html`
  <style>
    :root {
      color-scheme: light dark;
      font:
        15px/1.5 system-ui,
        sans-serif;
    }
    body {
      max-width: 60rem;
      margin: 1.5rem auto;
      padding: 0 1rem;
    }
    h1 {
      font-size: 1.5rem;
      margin-bottom: 0.25rem;
    }
    h2 {
      font-size: 1.1rem;
      margin-top: 1.75rem;
    }
    table {
      border-collapse: collapse;
      width: 100%;
    }
    td,
    th {
      text-align: left;
      padding: 0.25rem 0.75rem 0.25rem 0;
      border-bottom: 1px solid #8884;
      vertical-align: top;
    }
    code,
    pre {
      font:
        13px/1.5 ui-monospace,
        monospace;
    }
    pre {
      white-space: pre-wrap;
      overflow-wrap: anywhere;
      background: #8881;
      padding: 0.75rem;
      border-radius: 6px;
    }
    nav {
      margin-bottom: 1rem;
    }
    .state {
      border-radius: 1em;
      padding: 0.1rem 0.7rem;
      color: #fff;
      background: #57606a;
    }
    .open,
    .success {
      background: #1a7f37;
    }
    .merged {
      background: #8250df;
    }
    .closed,
    .failure,
    .error {
      background: #cf222e;
    }
    .pending {
      background: #9a6700;
    }
    .muted {
      color: #8a8a8a;
    }
  </style>
`;

/** Returns a complete page. `crumbs` is its path from the top. */
export function page(title: string, crumbs: readonly { text: string; href: string }[], body: Html): string {
  const path = crumbs.map(({ text, href }) => html`<a href="${href}">${text}</a> /`);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        ${style}
      </head>
      <body>
        <nav><a href="/">forge</a> / ${path}</nav>
        ${body}
      </body>
    </html>`.text;
}

/** Returns a colored word, such as the state of a pull request or of a check. */
export function state(word: string): Html {
  return html`<span class="state ${word}">${word}</span>`;
}

export function table(head: readonly string[], rows: readonly Html[]): Html {
  if (rows.length === 0) return html`<p class="muted">none</p>`;
  return html`<table>
    <thead>
      <tr>
        ${head.map((text) => html`<th>${text}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}
