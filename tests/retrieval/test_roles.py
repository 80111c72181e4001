"""Roles by path: what ranks behind sources, and what only looks as if it should."""

from __future__ import annotations

import pytest

from iterative_retrieval.retrieval.roles import is_source_like, role_of
from iterative_retrieval.state.source import FileRole

EXAMPLES = {
    FileRole.SOURCE: """
        auth/tokens.py src/main.rs lib/axios.js cmd/server/main.go include/fmt/format.h app.vue bin/tool index.html
        django/test/client.py django/test/testcases.py django/core/management/commands/test.py
        src/_pytest/fixtures.py src/_pytest/doctest.py src/pytest/__init__.py pytest_plugin/plugin.py
        numpy/testing/_private/utils.py lib/matplotlib/testing/decorators.py sympy/testing/runtests.py
        sphinx/ext/doctest.py sphinx/builders/changes.py lib/contest.py latest.py attest.go protest.rb greatest.js
        unittest.py testing.py utils/estimator_checks.py requests/sessions.py contests/view.py
        src/main/java/com/example/auth/TokenService.java src/main/java/org/springframework/test/context/Cache.java
        src/main/java/junit/framework/TestCase.java src/main/kotlin/Latest.kt src/Audit.java src/Contest.cs
        packages/core/index.ts setuptools/dist.py pip/_internal/operations/build/wheel.py sympy/external/gmpy.py
        lib/openapi_spec.go conda/match_spec.py pkg/security.py news.go doc.go example.py benchmark.py
        django/contrib/admindocs/views.py tokio-test/src/io.rs templates/base.html queries/users.sql unknown.xyz
    """,
    FileRole.TEST: """
        tests/helpers.py test/unit/axios.js test_requests.py pkg/test_x.py pkg/x_test.py conftest.py app/tests.py
        lib/matplotlib/tests/test_axes.py lib/matplotlib/tests/baseline_images/x.svg sympy/testing/tests/test_code.py
        testing/python/raises.py django/test/test_client.py x_test.go pkg/testdata/in.json src/x.spec.ts src/x.test.jsx
        src/__tests__/x.js src/__mocks__/fs.js cypress/login.js e2e/login.ts compat/test/browser/render.jsx
        src/test/java/com/example/AuthTest.java src/FooTest.java src/FooTests.cs src/TestFoo.java src/FooIT.java
        src/AuthSpec.scala tests/Unit/CarbonTest.php Sources/FooTestCase.swift app/src/androidTest/kotlin/Ui.kt
        spec/rubocop/cop_spec.rb lib/foo/spec/foo_spec.rb spec/spec_helper.rb spec/fixtures/a.yml test/plugin/test_in.rb
        test/format-test.cc src/util_unittest.cc tests-integration/src/main.rs src/sync/tests/mod.rs src/tests.rs
        integration_tests/run.sh fixtures/users.json Foo.UnitTests/Setup.cs tests/README.md tests/package-lock.json
    """,
    FileRole.DOC: """
        README README.md readme.rst CHANGELOG.md CHANGES HISTORY.rst LICENSE LICENSE-MIT COPYING AUTHORS CONTRIBUTING.md
        docs/index.rst docs/conf.py doc/make.py docs/examples/run.py docs/tests/test_docs.py pkg/docs/guide.md
        notes.txt guide.adoc src/module/README.md paper.tex man/tool.1 NEWS.md
    """,
    FileRole.EXAMPLE: """
        examples/app.py examples/README.md example/in_http.conf tutorials/first.py demo/run.js samples/a.c
        galleries/plot.py pkg/examples/flask_app.py benchmarks/bench.py asv_bench/io.py benches/copy.rs intro.ipynb
        sympy/core/benchmarks/bench_arit.py examples/spring/src/main/java/App.java
    """,
    FileRole.VENDORED: """
        vendor/github.com/x/y.go third_party/zlib/zlib.c node_modules/react/index.js astropy/extern/six.py
        cextern/wcslib/wcs.c sklearn/externals/joblib/memory.py pip/_vendor/idna/core.py static/js/vendor/select2.js
        requests/packages/urllib3/util.py static/jquery-3.7.1.js vendor/lib/tests/test_a.py extern/agg24/agg.h
    """,
    FileRole.GENERATED: """
        api/user.pb.go api/user_pb2.py api/user_pb2_grpc.py api/user.pb.cc static/app.min.js dist/axios.js
        package-lock.json yarn.lock poetry.lock Cargo.lock Gemfile.lock go.sum pnpm-lock.yaml uv.lock static/app.js.map
        lib/model.g.dart Form.Designer.cs pkg/zz_generated.deepcopy.go units/format/generic_parsetab.py
        src/generated/client.ts core/assumptions_generated.py
    """,
    FileRole.CONFIG: """
        setup.py setup.cfg pyproject.toml package.json tsconfig.json Makefile CMakeLists.txt Dockerfile
        docker-compose.yml .github/workflows/test.yml .github/CONTRIBUTING.md .gitignore .eslintrc.js pkg/.editorconfig
        tox.ini noxfile.py Jenkinsfile Rakefile Gemfile rubocop.gemspec build.gradle.kts pom.xml go.mod Cargo.toml
        composer.json requirements.txt requirements-dev.txt constraints.txt webpack.config.js config/default.yml
        MANIFEST.in numpy/core/setup.py pkg/py.typed Gruntfile.js
    """,
    FileRole.DATA: """
        data/users.csv locale/de/LC_MESSAGES/django.po img/logo.svg schema.json feed.xml test_data.json events.jsonl
    """,
}


@pytest.mark.parametrize(("role", "path"), [(role, path) for role, text in EXAMPLES.items() for path in text.split()])
def test_role(role: FileRole, path: str) -> None:
    assert role_of(path) is role


@pytest.mark.parametrize("path", ["a.py", "A.PY", "x/y.tsx", "q.sql", "t.html", "m.bsl", "k.hpp"])
def test_code_is_source_like(path: str) -> None:
    assert is_source_like(path)


@pytest.mark.parametrize("path", ["a.md", "py", ".py", "x.py/readme", "data.json", "a.yml", "Makefile", ""])
def test_other_files_are_not_source_like(path: str) -> None:
    assert not is_source_like(path)
