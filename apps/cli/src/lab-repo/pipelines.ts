import type { Files } from '../pkg/templates.js';

/**
 * The pipelines of GitHub Actions and GitLab CI. On a pull request they check what it changes, and show what a deployment would do.
 * On the main branch they deploy after an approval. They keep no secret: each job exchanges its signed token for one of the
 * service that lives for minutes.
 */
export const pipelineFiles: Files = {
  '.github/workflows/lab.yml': `# Settings > Environments: make "lab" with required reviewers, and "lab-dry-run". Give both the variable SVC_URL. Without it, nothing is
# shown or deployed. The service must trust this repository: auth.pipelines in its config.yml.
name: lab
on:
  pull_request:
  push:
    branches: [main]
permissions:
  contents: read
env:
  NX_DAEMON: 'false'
jobs:
  check:
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: { fetch-depth: 0 }
      - uses: actions/setup-node@v4
        with: { node-version: 22, cache: npm }
      - run: npm ci
      - run: npx nx affected -t check,test,simulate --base="origin/$GITHUB_BASE_REF" --outputStyle=static
  dry-run:
    # A fork gets no signed token.
    if: github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository
    needs: check
    runs-on: ubuntu-latest
    environment: lab-dry-run
    permissions:
      contents: read
      id-token: write
      pull-requests: write
    env:
      SVC_URL: \${{ vars.SVC_URL }}
    defaults:
      run: { shell: bash }
    steps:
      - if: env.SVC_URL != ''
        uses: actions/checkout@v4
        with: { fetch-depth: 0 }
      - if: env.SVC_URL != ''
        uses: actions/setup-node@v4
        with: { node-version: 22, cache: npm }
      - if: env.SVC_URL != ''
        run: npm ci
      - if: env.SVC_URL != ''
        run: npx svc token exchange --out "$RUNNER_TEMP/svc-token"
      - if: env.SVC_URL != ''
        env:
          SVC_TOKEN_FILE: \${{ runner.temp }}/svc-token
        run: npx nx affected -t dry-run --base="origin/$GITHUB_BASE_REF" --parallel=1 --outputStyle=static | tee dry-run.txt
      - if: \${{ !cancelled() && env.SVC_URL != '' }}
        env:
          GH_TOKEN: \${{ github.token }}
          PULL_REQUEST: \${{ github.event.number }}
        run: |
          { echo 'What a deployment would change:'; echo; sed 's/^/    /' dry-run.txt; } > comment.md
          gh pr comment "$PULL_REQUEST" --edit-last --create-if-none --body-file comment.md
  deploy:
    if: github.event_name == 'push' && github.ref == 'refs/heads/main'
    runs-on: ubuntu-latest
    environment: lab
    permissions:
      contents: read
      id-token: write
    # One deployment at a time, and none is broken off.
    concurrency: { group: lab, cancel-in-progress: false }
    env:
      SVC_URL: \${{ vars.SVC_URL }}
    steps:
      - if: env.SVC_URL != ''
        uses: actions/checkout@v4
      - if: env.SVC_URL != ''
        uses: actions/setup-node@v4
        with: { node-version: 22, cache: npm }
      - if: env.SVC_URL != ''
        run: npm ci
      - if: env.SVC_URL != ''
        run: npx svc token exchange --out "$RUNNER_TEMP/svc-token"
      # A package that is active already stays as it is.
      - if: env.SVC_URL != ''
        env:
          SVC_TOKEN_FILE: \${{ runner.temp }}/svc-token
        run: npx nx run-many -t deploy --parallel=1 --outputStyle=static
`,
  '.gitlab-ci.yml': `# Settings > CI/CD > Variables: SVC_URL. Without it, nothing is shown or deployed. The service must trust this project: auth.pipelines in
# its config.yml. A person starts the deployment; protect the environment "lab", so that not everybody may.
image: node:22
stages: [check, dry-run, deploy]
variables:
  GIT_DEPTH: '0'
  NX_DAEMON: 'false'
default:
  before_script:
    - npm ci
check:
  stage: check
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  script:
    - npx nx affected -t check,test,simulate --base="$CI_MERGE_REQUEST_DIFF_BASE_SHA" --outputStyle=static
dry-run:
  stage: dry-run
  environment: { name: lab-dry-run, action: verify }
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event" && $SVC_URL
  id_tokens:
    SVC_ID_TOKEN: { aud: $SVC_URL }
  script:
    - set -o pipefail
    - npx svc token exchange --out /tmp/svc-token
    - export SVC_TOKEN_FILE=/tmp/svc-token
    - npx nx affected -t dry-run --base="$CI_MERGE_REQUEST_DIFF_BASE_SHA" --parallel=1 --outputStyle=static | tee dry-run.txt
  artifacts:
    when: always
    expose_as: dry run
    paths: [dry-run.txt]
deploy:
  stage: deploy
  environment: { name: lab }
  # One deployment at a time, and none is broken off.
  resource_group: lab
  interruptible: false
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && $SVC_URL
      when: manual
  id_tokens:
    SVC_ID_TOKEN: { aud: $SVC_URL }
  script:
    - npx svc token exchange --out /tmp/svc-token
    - export SVC_TOKEN_FILE=/tmp/svc-token
    # A package that is active already stays as it is.
    - npx nx run-many -t deploy --parallel=1 --outputStyle=static
`,
};
