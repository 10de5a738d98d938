const line = '='.repeat(80);

/** The terms of the MIT License (SPDX), for packages that name it without including its text. */
const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Returns the notices of packages: name, version, license, source and included license texts. */
export function noticesOf(packages) {
  const head = [
    'Third-party notices',
    '',
    'This program contains code of the following packages. Each is used under its own license.',
  ];
  return `${[...head, ...packages.map(noticeOf)].join('\n')}\n`;
}

function noticeOf({ name, version, license, author, source, texts }) {
  const facts = [
    `${name} ${version}`,
    `License: ${license}`,
    ...(author === undefined ? [] : [`Author: ${author}`]),
    ...(source === undefined ? [] : [`Source: ${source}`]),
  ];
  const bodies = texts.map(({ file, text }) => `\n${file}:\n\n${text}`);
  const standard = texts.length === 0 && license === 'MIT' ? [`\nCopyright (c) ${author}\n\n${mit}`] : [];
  return ['', line, ...facts, ...bodies, ...standard].join('\n');
}
