# The table of the models: lib/models/model-table.h tells its form.
modelsdir = $(datadir)/mortise
dist_models_DATA = %D%/models.ini
