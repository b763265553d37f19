"""What the administration calls apps, models and columns: in a translatable word each."""

import pytest
from django.apps import AppConfig, apps
from django.contrib import admin
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils.functional import Promise

from apps.results.models import Contestant, Result

OURS = [config for config in apps.get_app_configs() if config.name.startswith("apps.")]
NAMING = "names_in_the_administration"


@pytest.mark.parametrize("config", OURS, ids=lambda config: config.label)
def test_an_app_and_its_models_have_a_name_that_is_translated(config: AppConfig) -> None:
    assert isinstance(config.verbose_name, Promise)
    shown = [model for model in admin.site._registry if model._meta.app_config is config]
    names = [name for model in shown for name in (model._meta.verbose_name, model._meta.verbose_name_plural)]
    assert all(isinstance(name, Promise) for name in names)


@pytest.mark.parametrize("model", [Contestant, Result])
def test_results_and_contestants_have_columns_that_are_translated(model: type[Contestant | Result]) -> None:
    columns = [field for field in model._meta.fields if not field.primary_key]
    assert [column.name for column in columns if not isinstance(column.verbose_name, Promise)] == []


@pytest.mark.django_db
def test_new_names_change_nothing_in_the_database() -> None:
    loader = MigrationLoader(connection)
    naming = [key for key in loader.disk_migrations if key[1].endswith(NAMING)]
    assert len(naming) == 5
    for key in naming:
        migration = loader.disk_migrations[key]
        with connection.schema_editor(collect_sql=True) as editor:
            migration.apply(loader.project_state(migration.dependencies), editor, collect_sql=True)
        assert [line for line in editor.collected_sql if not line.startswith("--")] == []
