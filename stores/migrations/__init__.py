"""Alembic migrations of the tables; ``stores/sql.py`` runs them when a database is opened."""
